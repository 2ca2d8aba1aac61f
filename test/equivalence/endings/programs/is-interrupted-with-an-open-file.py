import os
import signal

file = open("out.txt", "w")
file.write("before the interrupt\n")
os.kill(os.getpid(), signal.SIGINT)
signal.pause()
