import atexit
import os
import sys

file = open("out.txt", "a")
file.write("before the fork\n")
atexit.register(print, "atexit")
child = os.fork()
if child == 0:
    file.write("from the child\n")
    sys.exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
file.write("from the parent\n")
