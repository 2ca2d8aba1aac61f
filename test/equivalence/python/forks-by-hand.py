import os
import sys

pid = os.fork()
if pid == 0:
    print("child", os.getppid() != os.getpid(), os.getsid(0) == os.getppid())
    sys.exit(11)
print("parent", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
pid = os.fork()
if pid == 0:
    raise ValueError("in the child")
print("parent", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
