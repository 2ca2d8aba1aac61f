import sys

for name in ("json", "logging", "urllib", "random", "csv", "subprocess", "sqlite3", "xml.etree", "asyncio", "ctypes"):
    before = set(sys.modules)
    __import__(name)
    print(name, sorted(set(sys.modules) - before))
