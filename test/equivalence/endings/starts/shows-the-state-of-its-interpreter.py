import atexit
import gc
import sys
import threading

print(atexit._ncallbacks(), [thread.name for thread in threading.enumerate()], threading.active_count())
print(gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), gc.get_debug(), gc.garbage, gc.callbacks)
print(sys.getswitchinterval(), sys.getrecursionlimit(), sys.gettrace(), sys.getprofile(), sys.is_finalizing())
print(sys.excepthook is sys.__excepthook__, sys.displayhook is sys.__displayhook__, sys.unraisablehook is sys.__unraisablehook__)
print(sys.stdin, sys.stdout, sys.stderr, sys.stdout.line_buffering, sys.stdout.write_through)
print(sys.stdout is sys.__stdout__, sys.getdefaultencoding(), sys.getfilesystemencoding(), sys.get_asyncgen_hooks())
print(sys.exc_info(), hasattr(sys, "last_value"), sys.get_coroutine_origin_tracking_depth())
