import os
import sys

sys.stdout.buffer.write(bytes(range(256)))
sys.stdout.flush()
os.write(2, bytes(reversed(range(256))))
