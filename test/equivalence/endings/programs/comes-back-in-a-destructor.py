import sys


class Thing:
    def __del__(self):
        print("once more")
        sys.thing = self


thing = Thing()
