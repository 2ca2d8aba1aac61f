"""Its documentation."""
import sys
import __main__

number: int = 1
print(sorted(globals()))
print(__name__, __file__, __package__, __spec__, __doc__, __annotations__)
print(type(__loader__), __loader__.name, __loader__.path, type(__builtins__))
print(globals().get("__cached__", "none"))
print(__main__ is sys.modules["__main__"], vars(__main__) is globals(), __main__.number)
print(repr(__main__), __main__.__dict__ is globals(), type(__main__))
print(sys._getframe().f_code.co_name, sys._getframe().f_code.co_filename, sys._getframe().f_locals is globals())
