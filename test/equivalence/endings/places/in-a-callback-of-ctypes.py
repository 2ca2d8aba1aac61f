import ctypes


def make():
    kept = begin()
    return ctypes.CFUNCTYPE(None)(lambda: kept.write("called\n") and None)


callback = make()
callback()
