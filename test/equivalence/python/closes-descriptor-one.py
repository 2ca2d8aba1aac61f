import os

os.close(1)
print("to nobody")
