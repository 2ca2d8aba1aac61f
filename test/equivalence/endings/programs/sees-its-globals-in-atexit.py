import atexit
import sys


@atexit.register
def show():
    print(sorted(globals()))
    print(__name__, globals().get("__file__"), sys.modules["__main__"].__dict__ is globals())
    print(sys.is_finalizing(), sys.argv[0] if sys.argv else None)


value = 1
