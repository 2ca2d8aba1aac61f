import sys


class Thing:
    def __del__(self):
        print("gone")


thing = Thing()
sys.modules = {"sys": sys}
