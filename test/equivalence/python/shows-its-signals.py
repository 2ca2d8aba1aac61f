import signal
import threading

for number in sorted(signal.valid_signals()):
    print(number, signal.getsignal(number))
print(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])), sorted(signal.sigpending()))
print(signal.set_wakeup_fd(-1), signal.getitimer(signal.ITIMER_REAL))
with open("/proc/self/status") as status:
    print(*[line for line in status if line.startswith(("Sig", "Shd")) and "SigQ" not in line], sep="")
