import ctypes
import os


class Thing:
    library = ctypes.CDLL(os.path.abspath("at-exit.so"))

    def __del__(self):
        print(self.library.begin(b"out.txt"))


thing = Thing()
