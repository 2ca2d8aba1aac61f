import sys


class Thing:
    def __del__(self):
        sys.exit(5)


thing = Thing()
other = [Thing()]
