# Python imports this module while it starts, because the executor puts this folder first on PYTHONPATH. It prepares a
# warm interpreter and then loads the machine's own sitecustomize, so that a script finds the same state as after an
# ordinary start.
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
# A subinterpreter gets the same search path. It is not started for a run, so only the path is corrected there.
sys.path[:] = [folder for folder in sys.path if folder != here]
sys.path_importer_cache.pop(here, None)


def is_warm_start():
    return bool(sys.argv) and sys.argv[0].startswith("/hob-warm-python ")


def await_run(path):
    """Python calls this path hook with the name of its script, in the last step before it runs that script. No Python
    code is on the stack at that time, and none of this program is while the script runs."""
    sys.path_hooks.remove(await_run)
    folder = os.path.dirname(here)
    space = {"__name__": "hob-host", "__builtins__": __builtins__, "folder": folder}
    with open(os.path.join(folder, "host.py"), "rb") as file:
        exec(compile(file.read(), file.name, "exec"), space)
    space["await_run"](path)
    raise ImportError(path)


if is_warm_start():
    # The last hook may be removed while Python iterates over them.
    sys.path_hooks.append(await_run)

del sys.modules["sitecustomize"]
# If the machine has none, this raises the error that Python expects.
import sitecustomize
