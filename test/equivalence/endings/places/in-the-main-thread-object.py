import threading

threading.main_thread().kept = begin()
