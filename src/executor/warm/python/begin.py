# A part of host.py: turns a process that has waited into one that looks as if it had been started for this run.
import time


def become(order, loaded, memory):
    """Returns when Python can continue with the script. If that is not possible, this process becomes an ordinary
    start."""
    entry = order["entry"]
    command = [order["file"], *order["options"], entry, *order["args"]]
    arguments = b"\0".join(map(os.fsencode, command)) + b"\0"
    os.chdir(order["cwd"])
    is_fit = memory.has_room_for(entry, arguments) and is_source(entry) and not loaded.is_stale()
    if not is_fit or loaded.is_shadowed_by(os.path.dirname(os.path.realpath(entry))):
        os.environ[COOKIE] = order["run_id"]
        start_cold(command)
    cookie = order["run_id"].encode()
    memory.rename(entry, arguments, cookie)
    replace_variable(COOKIE.encode(), cookie)
    sys.argv = [entry, *order["args"]]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv = command
    # Python has noted that the name of its script is neither a folder nor an archive.
    sys.path_importer_cache.pop(memory.stand_in, None)
    sys.path_importer_cache[entry] = None
    forget_folders()
    # Create a new module instead of the one from before the fork: objects of the run must belong to a module of the
    # run.
    module = types.ModuleType("__main__")
    module.__dict__.clear()
    module.__dict__.update(template)
    if "__annotations__" in template:
        module.__dict__["__annotations__"] = {}
    sys.modules["__main__"] = module
    renew()


def is_source(entry):
    """Whether Python would read the entry as a script, and not as a folder or an archive that contains a program."""
    for hook in sys.path_hooks:
        try:
            hook(entry)
            return False
        except ImportError:
            pass
    return os.path.isfile(entry)


def start_cold(command):
    for number in (signal.SIGPIPE, getattr(signal, "SIGXFSZ", signal.SIGPIPE)):
        signal.signal(number, signal.SIG_DFL)
    os.execv(command[0], command)


def forget_folders():
    """Makes Python list folders again that had changed shortly before it listed them: Python does not notice files that
    were added within one tick of the clock."""
    for finder in sys.path_importer_cache.values():
        if finder is not None and getattr(finder, "_path_mtime", started_at) > started_at - 60:
            finder.invalidate_caches()


started_at = time.time()


def renew():
    """Renews the state that modules derive from the process or from the time at which they are loaded."""
    read_time_zone()
    for name in renewals:
        if name in sys.modules:
            renewals[name](sys.modules[name])
    for generator in unseeded:
        generator.seed()


def read_time_zone():
    """Makes the C library read the time zone file again. It does so only if another zone was set in between."""
    zone = os.environ.get("TZ")
    if zone is not None:
        os.putenv("TZ", "UTC0")
        time.tzset()
        os.putenv("TZ", zone)
    time.tzset()


def renew_logging(logging):
    logging._startTime = time.time_ns() if isinstance(logging._startTime, int) else time.time()


def renew_processes(process):
    config = process._current_process._config
    config["authkey"] = process.AuthenticationString(os.urandom(len(config["authkey"])))


def renew_multiprocessing(_):
    sys.modules["__mp_main__"] = sys.modules["__main__"]


def reseed(generator):
    """Gives each fork other random numbers. An interpreter that is not forked keeps a seed that a module has set."""
    if is_forked:
        generator.seed()


renewals = {
    "logging": renew_logging,
    "multiprocessing": renew_multiprocessing,
    "multiprocessing.process": renew_processes,
    "numpy.random": reseed,
    "torch.random": lambda numbers: reseed(numbers.default_generator),
}
