import os
import tempfile


def begin():
    file = tempfile.NamedTemporaryFile("w", dir=".", prefix="temporary-")
    os.link(file.name, "linked.txt")
    file.write("text of a temporary file\n")
    return file
