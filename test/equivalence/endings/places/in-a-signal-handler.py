import signal


def make():
    kept = begin()
    return lambda number, frame: kept.write("signal\n")


signal.signal(signal.SIGUSR1, make())
