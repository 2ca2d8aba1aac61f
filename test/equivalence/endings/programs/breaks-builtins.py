import builtins

file = open("out.txt", "w")
file.write("kept\n")
builtins.print = builtins.open = builtins.len = None
