import os

file = open("out.txt", "w")
file.write("lost\n")
os.abort()
