import multiprocessing
import os
import signal
import sys


def fail():
    raise ValueError("in a process")


def stop():
    os.kill(os.getpid(), signal.SIGUSR2)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    for target, args in [(fail, ()), (sys.exit, (4,)), (stop, ()), (os._exit, (5,))]:
        process = context.Process(target=target, args=args, name="it")
        process.start()
        process.join()
        print(process.exitcode)
