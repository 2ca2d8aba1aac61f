import sys

print(sys.path)
print(sys.argv, sys.orig_argv)
print(sys.flags, sys.warnoptions, sys._xoptions)
print(sys.executable, sys.prefix, sys.exec_prefix, sys.base_prefix, sys.pycache_prefix, sys.dont_write_bytecode)
print(sorted(vars(sys)))
