import sys


def hook(kind, error, trace):
    print("hook:", kind.__name__, error, trace.tb_lineno, trace.tb_next, file=sys.stderr)


sys.excepthook = hook
raise ValueError("for the hook")
