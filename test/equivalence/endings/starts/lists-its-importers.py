import sys

print(*sorted((path, type(finder).__name__) for path, finder in sys.path_importer_cache.items()), sep="\n")
print(*sys.meta_path, *sys.path_hooks, sep="\n")
print([type(finder) for finder in sys.meta_path])
