import subprocess
import sys

first = subprocess.Popen([sys.executable, "-c", "print('b'); print('a')"], stdout=subprocess.PIPE)
second = subprocess.Popen(["sort"], stdin=first.stdout, stdout=subprocess.PIPE, text=True)
first.stdout.close()
print(second.communicate()[0].split(), first.wait(), second.returncode)
talk = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
print(repr(talk.communicate("to and fro\n", timeout=10)[0]))
