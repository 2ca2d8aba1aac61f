import atexit

atexit.register(print, "never")
atexit._clear()
atexit.register(print, "once")
