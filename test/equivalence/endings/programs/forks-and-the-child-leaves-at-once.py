import os

file = open("out.txt", "a")
file.write("before the fork\n")
child = os.fork()
if child == 0:
    file.write("from the child\n")
    os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
