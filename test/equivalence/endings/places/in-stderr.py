import sys

sys.stderr = begin()
print("printed", file=sys.stderr)
