import os
import signal

print("before")
os.killpg(os.getpid(), signal.SIGHUP)
