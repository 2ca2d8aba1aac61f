import importlib
import sys

names = ["argparse", "asyncio", "base64", "csv", "dataclasses", "datetime", "hashlib", "http", "inspect", "logging"]
names += ["multiprocessing", "pickle", "platform", "queue", "sqlite3", "subprocess", "textwrap", "traceback", "uuid"]
for name in names:
    known = name in sys.builtin_module_names
    open(f"{name}.py", "w").write(f"mark = 'own {name}'\n")
importlib.invalidate_caches()
for name in names:
    print(name, getattr(importlib.import_module(name), "mark", "the library's"))
