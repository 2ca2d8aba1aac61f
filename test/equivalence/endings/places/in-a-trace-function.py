import sys


def make():
    kept = begin()
    return lambda frame, event, argument: kept and None


sys.settrace(make())
