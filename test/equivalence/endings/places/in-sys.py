import sys

sys.kept = begin()
