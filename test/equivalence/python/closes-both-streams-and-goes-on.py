import os
import sys

sys.stdout.close()
sys.stderr.close()
os.write(2, b"still there\n")
