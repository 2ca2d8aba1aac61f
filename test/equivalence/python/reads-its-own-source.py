import inspect
import linecache
import sys


def documented(value: int = 1) -> int:
    """Says what it does."""
    return value + 1


print(inspect.getsource(documented), inspect.signature(documented), documented.__module__)
print(inspect.getsourcefile(documented), inspect.getmodule(documented).__name__)
print(inspect.getsource(sys.modules["__main__"]).count("\n"), linecache.getline(__file__, 2))
