import json
import sys


class Result:
    def __init__(self, path):
        self.file = open(path, "w")

    def __del__(self):
        self.file.write('{"code": 9, "msg": "from a destructor"}')


with open(sys.argv[1], encoding="utf-8") as file:
    result = Result(json.load(file)["environment"]["output_json"])
