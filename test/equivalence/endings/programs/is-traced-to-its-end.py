import sys


def trace(frame, event, argument, write=sys.stdout.write):
    write(f"{event} {frame.f_code.co_name}\n")


class Thing:
    def __del__(self):
        pass


thing = Thing()
sys.settrace(trace)
