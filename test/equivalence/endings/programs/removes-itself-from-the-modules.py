import sys


class Thing:
    def __del__(self):
        print("gone", __name__)


thing = Thing()
print("before")
del sys.modules["__main__"]
print("after")
