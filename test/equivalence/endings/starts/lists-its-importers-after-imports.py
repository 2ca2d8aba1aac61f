import json
import logging
import sys

print(*sorted((path, type(finder).__name__) for path, finder in sys.path_importer_cache.items()), sep="\n")
for module in (json, logging, json.decoder):
    print(module.__spec__, module.__loader__, module.__cached__)
    print(sorted(vars(module)))
