import atexit


def first():
    print("first")
    atexit.register(print, "registered at the end")


def second():
    print("second")
    atexit.unregister(third)


def third():
    print("never")


atexit.register(third)
atexit.register(first)
atexit.register(second)
