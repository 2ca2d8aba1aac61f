# A part of python-host.py: scripts that were run before are compiled ahead of their next run, once for all runs to come. For most
# scripts that takes longer than all else between their start and their first line.
import _warnings
import stat

# By the path of a script: its stamp, what is in it, and its code. The last two are None where the run is to compile it by itself.
compiled = {}
MOST_COMPILED = 64
MOST_SOURCE_BYTES = 128 * 1024


def compile_ahead(entry):
    if entry is None:
        return
    stamp = stamp_of(entry)
    known = compiled.pop(entry, None)
    if known is None or known[0] != stamp:
        known = (stamp, *try_to_compile(entry))
    # The one that was used last is the last to go.
    compiled[entry] = known
    if len(compiled) > MOST_COMPILED:
        del compiled[next(iter(compiled))]


def try_to_compile(entry):
    try:
        # What is no file may have us wait for ever.
        with open(os.open(entry, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_SOURCE_BYTES:
                return None, None
            source = file.read()
        # What Python has to say about a script it is to say in every run, as it does when it compiles it there.
        _warnings.filters.insert(0, ("error", None, Warning, None, 0))
        try:
            return source, compile(source, entry, "exec", dont_inherit=True)
        finally:
            del _warnings.filters[0]
    except Exception:
        return None, None


def code_for(entry, source):
    """Compared as a whole: a script may have been changed at any moment, and in no way that its stamp shows."""
    known = compiled.get(entry)
    if known is not None and known[1] == source:
        return known[2]
    return compile(source, entry, "exec", dont_inherit=True)
