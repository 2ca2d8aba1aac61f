import sys

print(sys.path)
print([getattr(finder, "__name__", finder) for finder in sys.meta_path], sys.path_hooks)
print([name for name in sys.path_importer_cache if "/dist/" in name])
print([name for name in sys.modules if not name.isascii()], sys.builtin_module_names)
import json

print(json.__file__, json.__spec__.origin, json.__spec__.cached, json.__loader__)
