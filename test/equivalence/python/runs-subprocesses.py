import json
import os
import subprocess
import sys

run_id = json.load(open(sys.argv[1]))["environment"]["run_id"]
look = "import os, sys; print(sys.argv, os.environ['HOB_RUN_ID'] == %r, os.environ.get('MARK'))" % run_id
print(subprocess.run([sys.executable, "-c", look, "a b"], capture_output=True, text=True))
os.environ["MARK"] = "set"
subprocess.run([sys.executable, "-c", look], check=True)
subprocess.run([sys.executable, "-c", look], env={"HOB_RUN_ID": "other", "MARK": "own"})
print(subprocess.run(["sh", "-c", "exit 7"]).returncode)
print(subprocess.run(["sh", "-c", "kill -9 $$"]).returncode)
print(subprocess.check_output("printf %s $MARK", shell=True))
try:
    subprocess.run(["of-nobody"])
except FileNotFoundError as error:
    print(error)
