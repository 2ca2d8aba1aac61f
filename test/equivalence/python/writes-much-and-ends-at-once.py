import os
import sys

sys.stdout.write("x" * 3_000_000)
sys.stderr.write("y" * 3_000_000)
os._exit(1)
