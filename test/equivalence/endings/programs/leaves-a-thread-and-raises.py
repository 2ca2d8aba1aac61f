import threading


def write():
    threading.main_thread().join()
    print("after the main thread")


threading.Thread(target=write).start()
raise ValueError("in the main thread")
