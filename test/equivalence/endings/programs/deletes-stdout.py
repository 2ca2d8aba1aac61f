import sys

print("printed")
del sys.stdout
