import atexit
import os

file = open("out.txt", "w")
file.write("lost\n")
atexit.register(os.execv, "/bin/sh", ["sh", "-c", "echo another program; exit 5"])
