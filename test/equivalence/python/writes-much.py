import hashlib
import sys

digest = hashlib.sha256()
for number in range(200):
    piece = (f"{number:09d} " * 10_000).encode()
    sys.stdout.buffer.write(piece)
    digest.update(piece)
print(digest.hexdigest(), file=sys.stderr)
