import os

read, write = os.pipe()
os.dup2(write, 1)
os.close(read)
os.close(write)
file = open("out.txt", "w")
file.write("kept\n")
print("into a broken pipe")
