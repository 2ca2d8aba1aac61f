import sys


def fail():
    kept = begin()
    raise ValueError(kept.name)


try:
    fail()
except ValueError as error:
    sys.last_value = error
