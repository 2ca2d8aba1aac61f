import sys


def make():
    kept = begin()
    return lambda kind, error, traceback: kept.write("error\n")


sys.excepthook = make()
