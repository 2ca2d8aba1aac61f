import atexit
import threading

for name in ("first", "second", "third"):
    atexit.register(print, "atexit", name)
threading._register_atexit(print, "before threads are joined")
print("main is done")
