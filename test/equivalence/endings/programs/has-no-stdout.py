import sys

print("printed")
sys.stdout = sys.stderr = None
raise ValueError("unseen")
