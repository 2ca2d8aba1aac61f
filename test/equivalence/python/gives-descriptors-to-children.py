import os
import subprocess

end, start = os.pipe()
look = ["sh", "-c", "ls /proc/$$/fd | tr '\\n' ' '; echo"]
subprocess.run(look)
subprocess.run(look, close_fds=False)
subprocess.run(look, pass_fds=[start])
os.set_inheritable(start, True)
subprocess.run(look, close_fds=False)
