import faulthandler
import os
import signal

faulthandler.enable()


def inner():
    os.kill(os.getpid(), signal.SIGSEGV)


inner()
