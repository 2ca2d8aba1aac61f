import sys


class Thing:
    pass


sys.modules["thing"] = Thing()
sys.modules["thing"].kept = begin()
