import os
import signal
import time

signal.signal(signal.SIGUSR1, lambda number, frame: print("user", number, frame.f_code.co_name))
signal.signal(signal.SIGTERM, lambda number, frame: print("term", number))
os.kill(os.getpid(), signal.SIGUSR1)
os.kill(os.getpid(), signal.SIGTERM)


def ring(number, frame):
    raise TimeoutError("rang")


signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.01)
try:
    time.sleep(5)
except TimeoutError as error:
    print(error)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
os.kill(os.getpid(), signal.SIGUSR1)
print(signal.sigpending())
print(signal.sigwait([signal.SIGUSR1]))
