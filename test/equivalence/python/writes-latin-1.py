import sys

sys.stdout.buffer.write("déjà vu\n".encode("latin-1"))
