import sys


class Thing:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        with open(self.name, "w") as file:
            file.write("written in a destructor\n")


one = Thing("global.txt")
sys.kept = Thing("sys.txt")
