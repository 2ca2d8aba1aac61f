print(dir())
print(__name__, __file__, __spec__, __package__, __doc__, __builtins__)
print(type(__loader__), __loader__.name, __loader__.path, __annotations__ if "__annotations__" in globals() else None)
import __main__
import sys

print(list(vars(__main__)), vars(__main__) is globals(), sys.modules["__main__"] is __main__)
