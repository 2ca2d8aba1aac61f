import ctypes
import os

library = ctypes.CDLL(os.path.abspath("at-exit.so"))
print(library.begin(b"out.txt"))
