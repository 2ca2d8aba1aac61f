import os
import sys


class Thing:
    def __del__(self, leave=os._exit):
        print("leaves")
        leave(5)


sys.kept = open("out.txt", "w")
sys.kept.write("lost\n")
thing = Thing()
