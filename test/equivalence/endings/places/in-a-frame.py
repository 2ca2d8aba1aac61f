import sys


def make():
    kept = begin()
    return sys._getframe()


frame = make()
