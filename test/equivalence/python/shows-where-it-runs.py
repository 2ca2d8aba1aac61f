import os
import resource

print(os.getcwd(), os.path.abspath(__file__))
print(os.getpgid(0) == os.getpid(), os.getsid(0) == os.getpid(), os.getppid() > 1)
mask = os.umask(0)
print(oct(mask), os.nice(0), os.getpriority(os.PRIO_PROCESS, 0))
for name in sorted(dir(resource)):
    if name.startswith("RLIMIT_"):
        print(name, resource.getrlimit(getattr(resource, name)))
print(os.sched_getscheduler(0), sorted(os.sched_getaffinity(0)))
print(os.getresuid(), os.getresgid(), sorted(os.getgroups()))
try:
    os.open("/dev/tty", os.O_RDWR)
except OSError as error:
    print(error)
