import json

json.kept = begin()
