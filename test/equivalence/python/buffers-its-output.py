import os
import sys

print("buffered", end="")
print("buffered too", file=sys.stderr, end="")
os.write(1, b"first\n")
os.write(2, b"first\n")
print(sys.stdout.line_buffering, sys.stdout.write_through)
