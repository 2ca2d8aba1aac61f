import logging
import os
import time

with open("/proc/self/stat", "rb") as file:
    started = int(file.read().rpartition(b")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
age = time.clock_gettime(time.CLOCK_BOOTTIME) - started
record = logging.LogRecord("", 0, "", 0, "", (), None)
print(0 <= record.relativeCreated < 1000 * age + 50)
