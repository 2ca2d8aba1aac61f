import ctypes

libc = ctypes.CDLL(None)
libc.printf(b"printed by C\n")
print("printed by Python")
