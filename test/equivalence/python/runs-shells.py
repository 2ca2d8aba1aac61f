import os
import sys

os.environ["MARK"] = "by the script"
os.environ.pop("LANG", None)
print(os.system("echo mark: $MARK; echo run: $HOB_RUN_ID; echo lang: $LANG; exit 3") >> 8)
os.unsetenv("MARK")
os.system("echo mark: $MARK")
with os.popen("tr a-z A-Z <<end\nwords\nend") as output:
    print(output.read(), end="")
sys.stdout.flush()
print(os.spawnlp(os.P_WAIT, "sh", "sh", "-c", "echo spawned; exit 2"))
