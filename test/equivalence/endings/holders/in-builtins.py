import builtins

builtins.kept = begin()
print(kept is builtins.kept)
