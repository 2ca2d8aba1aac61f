import os
import sys

kept = os.dup(1)
file = os.open("out.txt", os.O_WRONLY | os.O_CREAT, 0o640)
os.dup2(file, 1)
print("to the file")
sys.stdout.flush()
os.system("echo a child, too")
os.dup2(kept, 1)
print("to Hob again")
