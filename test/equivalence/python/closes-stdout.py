import sys

sys.stdout.close()
print("to nobody")
