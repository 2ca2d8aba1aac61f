import atexit
import os
import signal
import time

atexit.register(print, "at exit")
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)
finally:
    print("finally")
