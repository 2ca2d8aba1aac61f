import ctypes
import os

library = ctypes.CDLL(os.path.abspath("at-exit.so"))
child = os.fork()
if child == 0:
    print(library.begin(b"out.txt"))
else:
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
