import os
import signal

file = open("out.txt", "w")
file.write("lost\n")
os.kill(os.getpid(), signal.SIGTERM)
