import weakref


class Thing:
    pass


thing = Thing()
weakref.finalize(thing, lambda kept: kept.write("finalized\n"), begin()).atexit = False
