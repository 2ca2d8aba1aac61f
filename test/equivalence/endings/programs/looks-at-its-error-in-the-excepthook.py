import sys
import traceback


def hook(kind, error, tb):
    print(kind, error, error.__traceback__ is tb, sys.last_value is error, tb.tb_frame.f_back)
    print(traceback.format_exception(error))


def fail():
    raise ValueError("an error")


sys.excepthook = hook
fail()
