import datetime
import os
import time

print(time.tzname, time.timezone, os.environ["TZ"])
print(datetime.datetime.fromtimestamp(0).isoformat(), datetime.datetime.fromtimestamp(0).astimezone())
os.environ["TZ"] = "America/New_York"
time.tzset()
print(time.tzname, time.localtime(0))
