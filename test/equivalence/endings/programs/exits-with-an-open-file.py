import sys

file = open("out.txt", "w")
file.write("before the exit\n")


def leave():
    local = open("local.txt", "w")
    local.write("before the exit\n")
    sys.exit(3)


leave()
