import os
import subprocess

end, start = os.pipe()
look = ["sh", "-c", "for fd in 0 1 2 3 4 5 6 7 8 9; do [ -e /proc/$$/fd/$fd ] && printf '%s ' $fd; done; echo"]
subprocess.run(look)
subprocess.run(look, close_fds=False)
subprocess.run(look, pass_fds=[start])
os.set_inheritable(start, True)
subprocess.run(look, close_fds=False)
