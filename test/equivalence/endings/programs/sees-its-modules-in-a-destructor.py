import sys


class Thing:
    def __del__(self, sys=sys):
        print(sys.modules if sys.modules is None else sorted(sys.modules)[:5])
        print(sys.meta_path, sys.path_hooks is None, sys.path is None, sys.argv is None)
        print(hasattr(sys, "last_value"), sys.is_finalizing())


thing = Thing()
cycle = [Thing()]
cycle.append(cycle)
