import bz2


def begin():
    file = bz2.open("out.bz2", "wt")
    file.write("compressed line\n" * 100)
    return file
