import os
import sys

print("first")
os.system("echo x > /dev/stderr; echo y > /dev/stdout; echo z >> /dev/stdout")
with open("/dev/stdout", "w") as output:
    output.write("by name\n")
with open("/dev/stderr", "a") as output:
    output.write("by name\n")
with open("/proc/self/fd/1", "w") as output:
    output.write("by number\n")
print(open("/dev/stdin").read(), os.path.exists("/dev/fd/2"))
print("last", file=sys.stderr)
