import signal
import sys
import time


def leave(number, frame):
    print("asked to end", number)
    sys.exit(9)


signal.signal(signal.SIGTERM, leave)
print("waits")
time.sleep(30)
