import inspect
import sys
import traceback


def fail():
    raise ValueError("shown")


try:
    fail()
except ValueError:
    traceback.print_exc()
    print(traceback.format_exc().count("File"))
traceback.print_stack()
print(inspect.stack()[0].code_context, sys._getframe().f_lineno)
