import json
import os

json.kept = open("out.txt", "a")
json.kept.write("before the fork\n")
child = os.fork()
if child == 0:
    raise ValueError("in the child")
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
