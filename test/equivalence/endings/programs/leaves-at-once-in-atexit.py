import atexit
import os

file = open("out.txt", "w")
file.write("lost\n")
atexit.register(os._exit, 6)
