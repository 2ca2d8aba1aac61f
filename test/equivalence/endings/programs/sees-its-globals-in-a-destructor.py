import os
import sys

value = 1
_hidden = 2


class Thing:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        names = globals()
        print(self.name, __name__, "__file__" in names, "__builtins__" in names, "value" in names)
        print([name for name in ("os", "sys", "value", "_hidden", "Thing", "last", "first") if names.get(name) is None])


first = Thing("first")
_second = Thing("second")
last = Thing("last")
