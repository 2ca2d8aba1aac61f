import json
import sys

run = json.load(open(sys.argv[1], encoding="utf-8"))
json.dump({"code": 1, "msg": "known"}, open(run["environment"]["output_json"], "w"))
sys.exit(12)
