import subprocess

subprocess.Popen(["sleep", "60"], start_new_session=True)
print("main is done")
