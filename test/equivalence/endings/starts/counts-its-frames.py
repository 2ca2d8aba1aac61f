import inspect
import sys
import traceback

print(len(inspect.stack()), sys._getframe().f_back)
try:
    sys._getframe(1)
except ValueError as error:
    print(error)
traceback.print_stack(file=sys.stdout)


def recurse(depth):
    try:
        return recurse(depth + 1)
    except RecursionError:
        return depth


print(recurse(0))


def within():
    print(len(inspect.stack()), [frame.name for frame in traceback.extract_stack()])


within()
