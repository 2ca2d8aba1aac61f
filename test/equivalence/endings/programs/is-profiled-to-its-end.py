import sys


class Thing:
    def __del__(self):
        pass


def profile(frame, event, argument, write=sys.stdout.write):
    if event in ("call", "return"):
        write(f"{event} {frame.f_code.co_name}\n")


thing = Thing()
sys.setprofile(profile)
