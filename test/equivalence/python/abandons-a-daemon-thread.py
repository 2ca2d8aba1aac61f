import threading
import time


def forever():
    while True:
        time.sleep(0.001)


threading.Thread(target=forever, daemon=True).start()
print("main is done")
