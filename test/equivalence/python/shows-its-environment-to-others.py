import json
import os
import sys

with open("/proc/self/environ", "rb") as environ:
    block = environ.read()
for variable in sorted(block.rstrip(b"\0").split(b"\0")):
    print(variable)
run_id = json.load(open(sys.argv[1]))["environment"]["run_id"]
print(block.split(b"HOB_RUN_ID=")[1].split(b"\0")[0].decode() == run_id == os.environ["HOB_RUN_ID"])
print(block.endswith(b"\0"), block.count(b"HOB_RUN_ID="))
