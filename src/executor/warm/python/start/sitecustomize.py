# Python imports this module while it starts, because the executor puts this folder first on PYTHONPATH. It prepares a warm
# interpreter and then gives way to the machine's own sitecustomize, so that a script finds what it finds after any other start.
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
# A subinterpreter gets the same search path. It is not started for a run, so only the path is put right there.
sys.path[:] = [folder for folder in sys.path if folder != here]
sys.path_importer_cache.pop(here, None)


def is_warm_start():
    return bool(sys.argv) and sys.argv[0].startswith("/hob-warm-python ")


def await_run(path):
    """Python calls this path hook when it looks at the name of its script, the last step before it runs that script. No Python
    code is on the stack then, and none of ours is while the script runs."""
    sys.path_hooks.remove(await_run)
    folder = os.path.dirname(here)
    space = {"__name__": "hob-host", "__builtins__": __builtins__, "folder": folder}
    with open(os.path.join(folder, "host.py"), "rb") as file:
        exec(compile(file.read(), file.name, "exec"), space)
    space["await_run"](path)
    raise ImportError(path)


if is_warm_start():
    # The last hook may be removed while Python goes through them.
    sys.path_hooks.append(await_run)

del sys.modules["sitecustomize"]
# Raises what Python itself expects if the machine has none.
import sitecustomize
