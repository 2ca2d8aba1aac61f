import runpy
import subprocess
import sys

open("other.py", "w").write("import sys\nprint(__name__, __file__, sys.argv[0])\nvalue = 1\n")
print(runpy.run_path("other.py")["value"], runpy.run_path("other.py", run_name="__main__")["__name__"])
print(runpy.run_module("other")["__name__"], __name__)
sys.stdout.flush()
subprocess.run([sys.executable, "-m", "other"])
exec(compile("print(__name__, __file__)", "made up", "exec"))
exec(compile("1 / 0", "made up", "exec"))
