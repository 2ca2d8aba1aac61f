import subprocess

subprocess.Popen(["sleep", "60"], stdout=subprocess.DEVNULL)
print("main is done")
