import os
import sys

kept = [os.dup(1) for _ in range(60)]
file = open("out.txt", "w")
file.write("kept\n")
sys.kept = os.fdopen(kept[30], "w")
sys.kept.write("through one of many\n")
