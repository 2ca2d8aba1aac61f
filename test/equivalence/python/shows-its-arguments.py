import sys

print(sys.argv, sys.orig_argv)
