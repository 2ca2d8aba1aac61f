import sys

print(sys.flags, sys.warnoptions, sys._xoptions)
print(sys.executable, sys._base_executable, sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)
print(sys.version, sys.implementation, sys.hexversion, sys.api_version, sys.platform, sys.platlibdir)
print(sys.dont_write_bytecode, sys.pycache_prefix, sys.getswitchinterval(), sys.getrecursionlimit())
print(sys.getfilesystemencoding(), sys.getfilesystemencodeerrors(), sys.getdefaultencoding())
print(sys.get_int_max_str_digits() if hasattr(sys, "get_int_max_str_digits") else None)
print(sys.displayhook, sys.excepthook, sys.unraisablehook, sys.breakpointhook)
print(sys.displayhook is sys.__displayhook__, sys.excepthook is sys.__excepthook__, hasattr(sys, "last_value"))
print(sys.get_asyncgen_hooks(), sys.get_coroutine_origin_tracking_depth(), sys.getdlopenflags())
print(sys.is_finalizing(), hasattr(sys, "ps1"), __debug__)
