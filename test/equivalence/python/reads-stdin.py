import os
import sys

print(repr(sys.stdin.read()), sys.stdin.readline(), sys.stdin.buffer.read(), os.read(0, 10))
print(list(sys.stdin), sys.stdin.closed)
