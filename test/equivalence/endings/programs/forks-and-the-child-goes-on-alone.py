import json
import os
import subprocess
import time

# Renames the child's file when the child has ended, for then no process has the other end of this pipe.
read, write = os.pipe()
subprocess.Popen(["sh", "-c", "cat; mv child.part child.txt"], stdin=read)
os.close(read)
parent = os.getpid()
if os.fork() == 0:
    while os.getppid() == parent:
        time.sleep(0.005)
    json.kept = open("child.part", "w")
    json.kept.write("from the child\n")
