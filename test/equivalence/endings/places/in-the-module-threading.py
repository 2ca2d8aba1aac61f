import threading

threading.kept = begin()
