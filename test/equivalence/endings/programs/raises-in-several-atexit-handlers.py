import atexit


class Failure(Exception):
    pass


def fail(text):
    raise Failure(text)


def leave():
    raise SystemExit(9)


atexit.register(fail, "registered first")
atexit.register(leave)
atexit.register(print, "between")
atexit.register(fail, "registered last")
