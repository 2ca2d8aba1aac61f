import sys

with open("/proc/self/cmdline", "rb") as file:
    print(file.read().rstrip(b"\0").decode().split("\0"))
with open("/proc/self/comm") as file:
    print(file.read())
print(sys.argv, sys.orig_argv, __file__)
