import os

print(os.environ["OWN"], os.environ["中文"], repr(os.environ["EMPTY"]), os.environ["PYTHONIOENCODING"])
os.system("echo $OWN $EMPTY.")
