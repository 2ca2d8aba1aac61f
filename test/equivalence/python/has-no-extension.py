import sys

print(__file__, __loader__.__class__.__name__, sys.argv[0])
