import sys

print(*sorted(sys.modules), sep="\n")
