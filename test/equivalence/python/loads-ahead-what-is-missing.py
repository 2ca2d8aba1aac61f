import sys

print("goes on", len(sys.argv))
