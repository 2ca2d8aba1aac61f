import sys

file = open("out.txt", "w")
file.write("before the exit\n")
sys.exit("a text")
