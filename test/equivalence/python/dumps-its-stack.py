import faulthandler
import sys

print(faulthandler.is_enabled())


def inner():
    faulthandler.dump_traceback(all_threads=False)


inner()
sys.stderr.flush()
