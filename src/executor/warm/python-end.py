# A part of python-host.py: what Python does when a script has ended, done by hand where that is faster and just the same.
import posix
import weakref


def report(error):
    """What Python itself does with an exception that nobody caught. Returns the exit code."""
    if isinstance(error, SystemExit):
        return code_of(error)
    # The first frame is ours.
    shown = error.__traceback__.tb_next if error.__traceback__ is not None else None
    error.__traceback__ = shown
    kind = type(error)
    sys.last_type, sys.last_value, sys.last_traceback = kind, error, shown
    if sys.version_info >= (3, 12):
        sys.last_exc = error
    hook = getattr(sys, "excepthook", None)
    if hook is None:
        sys.stderr.write("sys.excepthook is missing\n")
        hook = sys.__excepthook__
    try:
        hook(kind, error, shown)
    except SystemExit as leaving:
        return code_of(leaving)
    except BaseException as second:
        sys.stdout.flush()
        sys.stderr.write("Error in sys.excepthook:\n")
        sys.__excepthook__(type(second), second, second.__traceback__.tb_next)
        sys.stderr.write("\nOriginal exception was:\n")
        sys.__excepthook__(kind, error, shown)
    return 1


def code_of(leaving):
    code = leaving.code
    if code is None:
        return 0
    if isinstance(code, int):
        # As C does it: what fits into a long, and its lowest byte.
        return code & 0xFF if -(2**63) <= code < 2**63 else 0xFF
    try:
        sys.stdout.flush()
        sys.stderr.write(str(code) + "\n")
    except BaseException:
        pass
    return 1


def finish(code, order, loaded, was_interrupted):
    """What Python does at its end, less taking apart what was loaded before: that would copy all of it first."""
    try:
        threading._shutdown()
    except BaseException:
        pass
    try:
        atexit._run_exitfuncs()
    except BaseException:
        pass
    if was_interrupted or not flush_streams():
        return True
    if has_foreign_code(loaded):
        leave_last_word(order, code)
        return True
    drop_modules(loaded)
    if not flush_streams():
        return True
    flush_c()
    leave_last_word(order, code)
    note_end(order, code)
    os._exit(code)


def flush_streams():
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except BaseException:
            return False
    return True


def has_foreign_code(loaded):
    """Whether compiled modules were loaded that may have something to do at the exit."""
    for name in sys.modules.keys() - loaded.modules:
        path = getattr(sys.modules[name], "__file__", None)
        if isinstance(path, str) and not path.endswith((".py", ".pyc")) and not path.startswith(loaded.stdlib):
            return True
    return False


def drop_modules(loaded):
    """Lets go of what the script has made, in the order in which Python does, so that it can say its last words."""
    for name in ("last_type", "last_value", "last_traceback", "last_exc"):
        if hasattr(sys, name):
            setattr(sys, name, None)
    sys.is_finalizing = lambda: True
    names = [name for name in sys.modules if name == "__main__" or name not in loaded.modules]
    left = []
    for name in names:
        module = sys.modules.pop(name)
        if isinstance(module, types.ModuleType):
            left.append(weakref.ref(module))
        del module
    gc.collect()
    for ref in reversed(left):
        module = ref()
        if module is None:
            continue
        space = module.__dict__
        for is_turn in (lambda name: name[:1] == "_" and name[:2] != "__", lambda name: name != "__builtins__"):
            for name in list(space):
                if isinstance(name, str) and space.get(name) is not None and is_turn(name):
                    space[name] = None
        del module, space
    gc.collect()


def flush_c():
    """C libraries have buffers of their own."""
    ctypes = sys.modules.get("ctypes")
    try:
        if ctypes is not None:
            ctypes.CDLL(None).fflush(None)
    except Exception:
        pass


def note_end(order, code):
    """Says how this ends. The system has a process to take apart before it does, which takes longer than many a script runs. Nothing of
    the script can happen any more: it has no other thread, and has let go of all that others could wait for."""
    if os.getpid() != order["pid"] or len(sys._current_frames()) > 1:
        return
    try:
        note = posix.open(order["end_note"], os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        for name in posix.listdir("/proc/self/fd"):
            if int(name) != note:
                try:
                    posix.close(int(name))
                except OSError:
                    # The folder that is looked through has a handle, too.
                    pass
        posix.write(note, b"%d %d\n" % (order["pid"], code & 0xFF))
    except BaseException:
        # Then it is known when the process is gone. A script may forbid that anything is opened.
        pass


def leave_last_word(order, code):
    """The fork server tells how we ended. If it is gone, nobody else could."""
    if order["last_word"] is None or os.getpid() != order["pid"] or os.getppid() == order["parent"]:
        return
    try:
        draft = order["last_word"] + ".new"
        with open(draft, "w") as file:
            file.write(str(code))
        os.rename(draft, order["last_word"])
    except OSError:
        pass
