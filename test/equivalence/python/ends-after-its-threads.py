import threading
import time


def late(number):
    time.sleep(0.02 * number)
    print("thread", number)


for number in (1, 2, 3):
    threading.Thread(target=late, args=(number,)).start()
print("main is done")
