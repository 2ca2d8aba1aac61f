import sys
import types


class Thing:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print(self.name)


thing = Thing("of the script")
other = types.ModuleType("__main__")
other.thing = Thing("of the other")
sys.modules["__main__"] = other
