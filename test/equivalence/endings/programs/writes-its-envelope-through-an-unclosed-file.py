import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    run = json.load(file)
output = open(run["environment"]["output_json"], "w", encoding="utf-8")
json.dump({"code": 7, "msg": "kept open 好"}, output)
