import atexit
import os

atexit.register(print, "must not be seen")
print("seen", end="")
os._exit(7)
