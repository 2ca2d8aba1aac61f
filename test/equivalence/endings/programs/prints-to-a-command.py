import os

command = os.popen("cat > child.part; mv child.part child.txt", "w")
command.write("for the command\n")
