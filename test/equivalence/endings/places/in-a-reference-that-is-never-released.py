import ctypes

kept = begin()
ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
