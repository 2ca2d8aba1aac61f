# A part of python-host.py: turns a process that has waited into what a real start would have made of it.
COOKIE = "HOB_RUN_ID"


def become(order, loaded):
    """Turns this process into what a real start would have made of it. Returns the code to run, or does not return."""
    entry = order["entry"]
    set_cookie(order["run_id"])
    os.chdir(order["cwd"])
    folder = os.path.dirname(os.path.realpath(entry))
    try:
        if loaded.is_stale() or loaded.is_shadowed_by(folder):
            raise ValueError
        with open(entry, "rb") as file:
            code = code_for(entry, file.read())
    except BaseException:
        start_cold(order)
    sys.argv = [entry, *order["args"]]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv = [order["file"], *sys.argv]
    sys.path.insert(0, folder)
    # Python looks first whether what it was told to run is a folder or an archive, and notes that it is not.
    sys.path_importer_cache.pop(template["__file__"], None)
    sys.path_importer_cache[entry] = None
    forget_folders()
    reseed()
    space = dict(template)
    space.update(__file__=entry, __loader__=type(template["__loader__"])("__main__", entry), __builtins__=builtins)
    if "__annotations__" in space:
        space["__annotations__"] = {}
    module = types.ModuleType("__main__")
    module.__dict__.clear()
    module.__dict__.update(space)
    sys.modules["__main__"] = module
    return code


def forget_folders():
    """Files may have come since the folders were looked at, in the same tick of the clock."""
    for finder in sys.path_importer_cache.values():
        if finder is not None:
            finder.invalidate_caches()


def find_cookie():
    """Where in the memory of this process, and of those forked from it, others look for the cookie; None if that is not known."""
    try:
        with open("/proc/self/stat", "rb") as file:
            start = int(file.read().rpartition(b")")[2].split()[47])
        with open("/proc/self/environ", "rb") as file:
            offset = (b"\0" + file.read()).index(b"\0" + COOKIE.encode() + b"=") + len(COOKIE) + 1
        return start + offset
    except (OSError, ValueError):
        return None


# Looked for before anybody waits.
cookie_place = find_cookie()


def set_cookie(run_id):
    """In the place of the one that this process was started with, where others look for it, too."""
    cookie = run_id.encode()
    try:
        if cookie_place is None:
            raise ValueError
        handle = os.open("/proc/self/mem", os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.pwrite(handle, cookie, cookie_place)
        finally:
            os.close(handle)
        os.environ._data[COOKIE.encode()] = cookie
        import posix

        posix.environ[COOKIE.encode()] = cookie
    except (OSError, ValueError, AttributeError):
        os.environ[COOKIE] = run_id


def start_cold(order):
    for number in (signal.SIGPIPE, getattr(signal, "SIGXFSZ", signal.SIGPIPE)):
        signal.signal(number, signal.SIG_DFL)
    os.execv(order["file"], [order["file"], *order["options"], order["entry"], *order["args"]])


def reseed():
    numbers = sys.modules.get("numpy.random")
    if numbers is not None:
        numbers.seed()
