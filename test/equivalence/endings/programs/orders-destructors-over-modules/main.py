import json
import string

import first
import second
from things import Thing

one = Thing("main one")
_two = Thing("main two")
json.kept = Thing("json")
string.kept = Thing("string")
first.second = second
first.kept = Thing("first kept")
