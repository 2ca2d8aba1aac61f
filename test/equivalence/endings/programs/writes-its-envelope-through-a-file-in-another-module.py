import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    run = json.load(file)
json.output = open(run["environment"]["output_json"], "w", encoding="utf-8")
json.dump({"code": 8, "msg": "kept open"}, json.output)
