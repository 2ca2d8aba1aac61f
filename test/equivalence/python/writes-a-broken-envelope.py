import json
import sys

run = json.load(open(sys.argv[1], encoding="utf-8"))
open(run["environment"]["output_json"], "w").write('{"code": ')
