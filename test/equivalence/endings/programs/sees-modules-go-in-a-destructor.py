import json
import os


class Thing:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print(self.name, type(json).__name__, type(os).__name__)
        print(json and sorted(name for name in vars(json) if not name.startswith("__") and vars(json)[name] is None))


first = Thing("global")
json.kept = Thing("in json")
os.kept = Thing("in os")
