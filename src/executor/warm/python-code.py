# A part of python-host.py: scripts that were run before are compiled ahead of their next run, once for all runs to come. For a
# script of thirty lines that took longer than all else between its start and its first line, and it grows with the script.
import _warnings
import re
import stat

# By the path of a script: its stamp, what is in it, and its code. The last two are None where each run is to compile it by itself.
compiled = {}
MOST_COMPILED = 64
# Nothing is forked meanwhile: a fraction of a second, once.
MOST_SOURCE_BYTES = 64 * 1024

# What every Python reads without loading anything for it.
COMMON_ENCODING = re.compile(rb"[ \t\f]*#[^\r\n]*coding[:=][ \t]*utf-?8(?![-\w.])", re.IGNORECASE)


def compile_ahead(entry):
    if entry is None:
        return
    known = compiled.pop(entry, None)
    stamp = None
    try:
        stamp = stamp_of(entry)
        if known is None or known[0] != stamp:
            source = read_script(entry)
            known = (stamp, source, compile_quietly(source, entry))
    except Exception:
        # The script will see why, if it is run. It is not tried again before it was changed.
        known = (stamp, None, None)
    # The one that was used last is the last to go.
    compiled[entry] = known
    if len(compiled) > MOST_COMPILED:
        del compiled[next(iter(compiled))]


def read_script(entry):
    # What is no file may have us wait for ever.
    handle = os.open(entry, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_SOURCE_BYTES:
            raise ValueError
        return os.read(handle, MOST_SOURCE_BYTES)
    finally:
        os.close(handle)


def compile_quietly(source, entry):
    """Raises where there is more to it: what Python has to say about a script it is to say in every run, and modules that it loads to
    read one are for that script alone."""
    for line in source.split(b"\n", 2)[:2]:
        if b"coding" in line and (line.count(b"coding") > 1 or not COMMON_ENCODING.match(line)):
            raise ValueError
    code = compile_with("error", source, entry)
    # A few warnings are not raised, and change what is compiled instead.
    if code != compile_with("ignore", source, entry):
        raise ValueError
    return code


def compile_with(action, source, entry):
    _warnings.filters.insert(0, (action, None, Warning, None, 0))
    try:
        return compile(source, entry, "exec", dont_inherit=True)
    finally:
        del _warnings.filters[0]


def code_for(entry, source):
    """Compared as a whole: a script may have been changed at any moment, and in no way that its stamp shows."""
    known = compiled.get(entry)
    if known is not None and known[1] == source:
        return known[2]
    return compile(source, entry, "exec", dont_inherit=True)
