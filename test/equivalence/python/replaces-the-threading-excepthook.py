import sys
import threading


def hook(args):
    print("hook:", args.exc_type.__name__, args.thread.name, file=sys.stderr)


def fail():
    raise ValueError("x")


threading.excepthook = hook
thread = threading.Thread(target=fail, name="worker")
thread.start()
thread.join()
