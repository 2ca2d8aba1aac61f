import ctypes


class Thing:
    def __del__(self, puts=ctypes.CDLL(None).puts):
        puts(b"printed by C in a destructor")


thing = Thing()
ctypes.kept = Thing()
