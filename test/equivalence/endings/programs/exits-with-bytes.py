import sys

sys.exit(b"bytes")
