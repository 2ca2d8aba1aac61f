import atexit
import sys
import weakref


class Thing:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name, sys is None)


def generate():
    try:
        yield 1
    finally:
        print("generator closed")


one = Thing("one")
_private = Thing("private")
two = Thing("two")
cycle = Thing("cycle")
cycle.self = cycle
weakref.finalize(one, print, "finalize one")
running = generate()
next(running)
atexit.register(print, "atexit")
print("main is done")
