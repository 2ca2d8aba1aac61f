import sys

file = open("out.txt", "w")
file.write("kept\n")
sys.modules.clear()
