import weakref


class Thing:
    pass


def make():
    kept = begin()
    return lambda reference: kept.write("gone\n")


thing = Thing()
reference = weakref.ref(thing, make())
