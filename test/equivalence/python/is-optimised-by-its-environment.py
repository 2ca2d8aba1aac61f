import sys

assert False, "never seen"
print(__debug__, sys.flags.optimize)
