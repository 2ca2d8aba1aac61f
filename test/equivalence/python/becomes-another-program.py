import os
import sys

print("before")
if len(sys.argv) == 2:
    os.execv(sys.executable, [sys.executable, __file__, sys.argv[1], "again"])
print("again", sys.argv[2], os.environ["HOB_RUN_ID"], os.getpid() == os.getsid(0))
print(sorted(int(fd) for fd in os.listdir("/proc/self/fd") if int(fd) < 3))
sys.exit(8)
