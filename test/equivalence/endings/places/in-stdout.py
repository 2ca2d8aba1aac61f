import sys

sys.stdout = begin()
print("printed")
