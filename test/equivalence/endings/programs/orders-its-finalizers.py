import atexit
import weakref


class Thing:
    pass


things = [Thing() for _ in range(4)]
weakref.finalize(things[0], print, "finalized first")
weakref.finalize(things[1], print, "finalized second").atexit = False
detached = weakref.finalize(things[2], print, "never")
atexit.register(print, "atexit")
weakref.finalize(things[3], print, "finalized last")
detached.detach()
