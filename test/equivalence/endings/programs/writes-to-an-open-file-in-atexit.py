import atexit

file = open("out.txt", "w")
file.write("before the end\n")
atexit.register(file.write, "at the end\n")
