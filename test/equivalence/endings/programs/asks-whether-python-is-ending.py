import atexit
import sys
import threading


class Thing:
    def __del__(self, sys=sys):
        print("destructor", sys.is_finalizing())


atexit.register(lambda: print("atexit", sys.is_finalizing()))
threading._register_atexit(lambda: print("threads", sys.is_finalizing()))
thing = Thing()
print("main", sys.is_finalizing())
