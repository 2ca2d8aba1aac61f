import sys


class Thing:
    def __del__(self):
        raise ValueError("in a destructor")


def hook(unraisable):
    print(unraisable.exc_type.__name__, unraisable.exc_value, unraisable.err_msg)


sys.unraisablehook = hook
thing = Thing()
sys.kept = Thing()
