import atexit


@atexit.register
def first():
    print("still called")


@atexit.register
def fail():
    raise ValueError("at the end")


print("main is done")
