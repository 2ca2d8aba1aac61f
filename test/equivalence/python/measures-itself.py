import os
import resource
import time

print(time.process_time() < 5, time.thread_time() < 5, time.perf_counter() >= 0, os.times().children_user < 5)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
