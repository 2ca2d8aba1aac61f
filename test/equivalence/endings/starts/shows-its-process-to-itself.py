import os
import resource
import signal
import stat

with open("/proc/self/cmdline", "rb") as file:
    print(file.read().rstrip(b"\0").split(b"\0"))
with open("/proc/self/comm") as file:
    print(file.read())
for number in sorted(os.listdir("/proc/self/fd"), key=int):
    try:
        kind = stat.S_IFMT(os.stat(f"/proc/self/fd/{number}").st_mode)
    except OSError:
        # The folder that this lists has a number, too.
        print(number, "is gone")
        continue
    # The name of a pipe is another one in each run.
    name = "pipe" if kind == stat.S_IFIFO else os.readlink(f"/proc/self/fd/{number}")
    print(number, oct(kind), name, os.get_inheritable(int(number)))
with open("/proc/self/status") as file:
    print(*[line for line in file if line.startswith(("Sig", "Shd", "Umask", "Threads", "NoNewPrivs", "Seccomp:")) and "SigQ" not in line])
print([signal.getsignal(number) for number in sorted(signal.valid_signals())], signal.pthread_sigmask(signal.SIG_BLOCK, []))
print(os.nice(0), os.getcwd(), os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid())
print([(name, resource.getrlimit(getattr(resource, name))) for name in sorted(dir(resource)) if name.startswith("RLIMIT_")])
print(os.sched_getscheduler(0), sorted(os.sched_getaffinity(0)), os.getgroups(), os.getresuid(), os.getresgid())
for name in ("oom_score_adj", "timerslack_ns", "coredump_filter"):
    with open(f"/proc/self/{name}") as file:
        print(name, file.read())
try:
    print(os.open("/dev/tty", os.O_RDWR))
except OSError as error:
    print(error)
