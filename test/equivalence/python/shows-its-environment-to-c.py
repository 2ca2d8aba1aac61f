import ctypes
import os

library = ctypes.CDLL(None)
library.getenv.restype = ctypes.c_char_p
print(library.getenv(b"HOB_RUN_ID"), library.getenv(b"PYTHONUTF8"), library.getenv(b"of-nobody"))
print(library.getpid() == os.getpid(), library.getpgrp() == os.getpid())
count = 0
block = ctypes.POINTER(ctypes.c_char_p).in_dll(library, "environ")
while block[count]:
    count += 1
print(count == len(os.environ))
