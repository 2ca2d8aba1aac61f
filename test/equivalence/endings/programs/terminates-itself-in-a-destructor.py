import os
import signal


class Thing:
    def __del__(self, kill=os.kill, getpid=os.getpid, number=signal.SIGTERM):
        kill(getpid(), number)


thing = Thing()
