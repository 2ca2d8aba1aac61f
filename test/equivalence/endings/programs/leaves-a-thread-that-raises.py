import threading


def fail():
    threading.main_thread().join()
    raise ValueError("in a thread")


threading.Thread(target=fail, name="failing").start()
