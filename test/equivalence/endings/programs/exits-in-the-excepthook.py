import sys


def hook(kind, error, traceback):
    print(kind.__name__, error, traceback.tb_lineno, traceback.tb_frame.f_back)
    sys.exit(7)


sys.excepthook = hook
raise ValueError("an error")
