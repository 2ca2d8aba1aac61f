import atexit
import sys

atexit.register(print, "still called")
atexit.register(sys.exit, 6)
