import gc


class Thing:
    def __del__(self):
        print("gone")


gc.set_debug(gc.DEBUG_SAVEALL)
thing = Thing()
thing.self = thing
del thing
