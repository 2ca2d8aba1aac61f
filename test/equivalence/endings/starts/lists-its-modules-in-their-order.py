import sys

print(*sys.modules, sep="\n")
