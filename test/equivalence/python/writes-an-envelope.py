import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    run = json.load(file)
print(sorted(run), sorted(run["environment"]), run["data"], run["params"])
print(run["environment"]["invoke_mode"], run["environment"]["script_dir"], run["environment"]["run_dir"])
with open(run["environment"]["output_json"], "w", encoding="utf-8") as file:
    json.dump({"code": 7, "msg": "fertig 好", "more": [1, None]}, file)
