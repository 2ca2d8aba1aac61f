import os

one = os.fdopen(os.dup(1), "w")
one.write("from a copy\n")
two = open(1, "w", closefd=False)
two.write("from a second file\n")
