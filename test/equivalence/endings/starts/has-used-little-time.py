import os
import resource
import time

own = resource.getrusage(resource.RUSAGE_SELF)
print(time.process_time() < 1, own.ru_utime + own.ru_stime < 1, os.times().children_user)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
