import atexit
import sys

file = open("out.txt", "w")
file.write("before the end\n")
atexit.register(sys.exit, 6)
