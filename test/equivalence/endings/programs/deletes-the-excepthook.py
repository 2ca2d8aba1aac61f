import sys

del sys.excepthook
raise ValueError("an error")
