import sys


def hook(kind, error, trace):
    raise TypeError("the hook fails")


sys.excepthook = hook
raise ValueError("for the hook")
