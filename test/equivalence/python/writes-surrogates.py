import sys

print(ascii(b"\xff".decode("utf-8", "surrogateescape")))
print("\udcff on stderr", file=sys.stderr)
print("\udcff")
