import sys


class Thing:
    def __del__(self):
        print(sys.is_finalizing())


thing = Thing()
