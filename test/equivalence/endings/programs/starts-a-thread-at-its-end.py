import atexit
import threading


@atexit.register
def start():
    thread = threading.Thread(target=print, args=("from a thread",))
    thread.start()
    thread.join()
