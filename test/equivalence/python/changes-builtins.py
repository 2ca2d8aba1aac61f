import builtins
import sys

print([name for name in ("_", "_host", "run", "main") if hasattr(builtins, name)])
print(sorted(name for name in vars(builtins) if not name.startswith("__")))
builtins.print = lambda *args: sys.stdout.write("changed\n")
print("x")
sys.displayhook(42)
print(builtins._)
