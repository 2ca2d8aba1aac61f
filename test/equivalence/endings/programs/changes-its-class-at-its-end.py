import atexit


class Thing:
    def __del__(self):
        print("thing")


class Other:
    def __del__(self):
        print("other")


thing = Thing()


@atexit.register
def change():
    thing.__class__ = Other
