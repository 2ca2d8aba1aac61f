import sys
import threading

print(sys.gettrace(), sys.getprofile(), threading.active_count(), threading.current_thread().name)
print(sys.exc_info(), sys.getrefcount(object()))
print(getattr(threading, "_trace_hook", None), getattr(threading, "_profile_hook", None))
lines = []
sys.settrace(lambda frame, event, argument: lines.append(frame.f_code.co_name))


def traced():
    pass


traced()
sys.settrace(None)
print(lines)
