import atexit
import json


class Thing:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print(self.name)


atexit.register(print, "atexit")
thing = Thing("global")
json.kept = Thing("in json")
print("main is done")
