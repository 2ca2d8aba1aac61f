import sys

sys.excepthook = None
raise ValueError("an error")
