# Runs Python scripts without the wait for an interpreter to start. Two ways, by the first line that comes on handle 3:
# as a fork server, which has loaded what scripts commonly need and forks one child for every run, ahead of time; or as one
# interpreter that waits itself. Either way it is used for one run, which must not be able to tell it from `python entry.py`.
# Whatever is unusual is left to a real start: the waiting process becomes that, by exec, before any of the script has run.

# What a script finds in its own namespace, and among the loaded modules, at a real start.
template = dict(globals())
import sys

at_start = frozenset(sys.modules)
# The folder of this file: nothing may be imported from there.
del sys.path[0]

import builtins

# Which module has imported which: what a script imports brings along what that needs, and nothing else.
imported = {}
real_import = builtins.__import__


def recording_import(name, globals=None, locals=None, fromlist=(), level=0):
    result = real_import(name, globals, locals, fromlist, level)
    importer = globals.get("__name__") if globals else None
    if isinstance(importer, str):
        if level > 0:
            package = importer if "__path__" in globals else importer.rpartition(".")[0]
            base = package.rsplit(".", level - 1)[0] if level > 1 else package
            name = base + "." + name if name else base
        needed = imported.setdefault(importer, {})
        parts = name.split(".")
        for count in range(1, len(parts) + 1):
            needed[".".join(parts[:count])] = True
        for part in fromlist or ():
            if name + "." + part in sys.modules:
                needed[name + "." + part] = True
    return result


builtins.__import__ = recording_import

import _frozen_importlib_external as importlib
import atexit
import gc
import json
import os
import select
import signal
import stat
import threading
import types
import weakref

CONTROL = 3
COOKIE = "HOB_RUN_ID"

# What makes loggers is left out: a script could see them. So is what takes long to load and is rarely used.
COMMON = """
    argparse ast base64 bisect bz2 calendar cmd codecs collections.abc configparser contextlib copy csv ctypes
    dataclasses datetime decimal difflib email.message email.mime.multipart email.mime.text email.utils enum errno fnmatch
    fractions functools getpass glob gzip hashlib heapq hmac html html.parser http.client http.cookiejar inspect io
    ipaddress itertools json locale logging lzma math mimetypes multiprocessing numbers operator optparse pathlib pickle platform
    pprint queue random re secrets shlex shutil socket sqlite3 ssl statistics string struct subprocess tarfile tempfile textwrap
    threading time tomllib traceback types typing unicodedata urllib.error urllib.parse urllib.request uuid warnings weakref
    xml.etree.ElementTree zipfile zlib zoneinfo
""".split()


def main():
    """Returns the order for the run that this process was made for."""
    config = json.loads(read_line(CONTROL))
    if sys.version_info < (3, 8) or sys.implementation.name != "cpython" or getattr(sys.flags, "safe_path", False):
        leave("unfit")
    end_when_deserted(True)
    preload(config["preload"])
    end_when_deserted(False)
    if has_children():
        # Nobody would end them, and none of them is the script's.
        tell("unfit")
        os.killpg(0, signal.SIGKILL)
    loaded = Loaded()
    builtins.__import__ = real_import
    put_on_shelf(config["preload"])
    if config["fork"]:
        if count_threads() > 1:
            leave("threads")
        ready()
        return serve(config, loaded)
    ready()
    order = await_order(CONTROL)
    return order, loaded, config


def end_when_deserted(is_so):
    """While modules are loaded nobody reads what comes: the system itself is to end us when the other side is closed. What is loaded
    may wait forever."""
    if not hasattr(os, "O_ASYNC"):
        return
    import fcntl

    flags = fcntl.fcntl(CONTROL, fcntl.F_GETFL)
    fcntl.fcntl(CONTROL, fcntl.F_SETOWN, os.getpid() if is_so else 0)
    fcntl.fcntl(CONTROL, fcntl.F_SETFL, flags | os.O_ASYNC if is_so else flags & ~os.O_ASYNC)


def has_children():
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
        return True
    except ChildProcessError:
        return False


def preload(declared):
    import warnings

    real_register = atexit.register
    atexit.register = recording_register
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in [*COMMON, *declared]:
            try:
                __import__(name)
            except BaseException:
                # The script will see why, if it needs it.
                pass
    atexit.register = real_register


# What modules want to be done at the exit, by their names.
registered = {}


def recording_register(function, *args, **keywords):
    owner = sys._getframe(1).f_globals.get("__name__")
    registered.setdefault(owner, []).append((function, args, keywords))
    return function


shelf = {}
# What comes along with each module on the shelf.
plans = {}


def put_on_shelf(declared):
    """Takes the modules away that a script has not imported yet: it would find parts of packages, or see a module in the place of a
    file of its own. What it imports is then taken from here instead of being loaded. Modules that are not from files are left alone:
    there is nothing to be seen of them, and some cannot be there twice."""
    keep = set(at_start)
    for name in declared:
        if name in sys.modules:
            keep.update(closure_of(name))
            # A package brings along what it has loaded of itself.
            keep.update(part for part in sys.modules if part.startswith(name.partition(".")[0] + "."))
    loader_type = type(template["__loader__"])
    places = set()
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        spec = getattr(module, "__spec__", None)
        if name in keep or name == "__main__" or spec is None or type(spec.loader) is not loader_type or spec.name != name:
            continue
        shelf[name] = module
        places.add(os.path.dirname(os.path.dirname(path) if spec.submodule_search_locations else path))
    for name in shelf:
        del sys.modules[name]
        unbind(name)
    # Another name that one of them has given to this program.
    sys.modules.pop("__mp_main__", None)
    for name in shelf:
        # Packages come before what is bound to them.
        plans[name] = sorted((each for each in closure_of(name) if each in shelf), key=lambda each: each.count("."))
    for place in places:
        sys.path_importer_cache[place] = ShelfFinder(place, *sys_loaders())
    for name in keep:
        for entry in registered.pop(name, []):
            atexit.register(entry[0], *entry[1], **entry[2])


def sys_loaders():
    return importlib._get_supported_file_loaders()


def unbind(name):
    parent, _, child = name.rpartition(".")
    package = sys.modules.get(parent) or shelf.get(parent)
    if package is not None and package.__dict__.get(child) is (shelf.get(name) or sys.modules.get(name)):
        delattr(package, child)


def closure_of(name):
    """The modules that are there once this one was imported, each after what it needs."""
    order = {}
    pending = [name]
    while pending:
        current = pending.pop()
        if current in order:
            continue
        order[current] = True
        pending.extend(imported.get(current, ()))
        if "." in current:
            pending.append(current.rpartition(".")[0])
    return list(order)


def take_from_shelf(name):
    module = shelf.pop(name)
    sys.modules[name] = module
    bind(name, module)
    if name == "multiprocessing":
        sys.modules["__mp_main__"] = sys.modules["__main__"]
    for entry in registered.pop(name, ()):
        atexit.register(entry[0], *entry[1], **entry[2])


def bind(name, module):
    parent, _, child = name.rpartition(".")
    package = sys.modules.get(parent)
    if package is not None and child not in package.__dict__:
        setattr(package, child, module)


class ShelfFinder(type(sys.path_importer_cache[os.path.dirname(os.__file__)])):
    """Stands where a folder is looked through, so that what comes before it on the path still comes first."""

    def find_spec(self, fullname, target=None):
        module = shelf.get(fullname)
        if module is None or os.path.dirname(module.__spec__.origin) != self.place_of(module):
            return super().find_spec(fullname, target)
        original = module.__spec__
        for name in plans[fullname]:
            if name in shelf:
                take_from_shelf(name)
        return type(original)(fullname, ShelfLoader(module, original), origin=original.origin)

    def place_of(self, module):
        inside = module.__spec__.submodule_search_locations
        return os.path.join(self.path, module.__name__.rpartition(".")[2]) if inside else self.path


class ShelfLoader:
    """Hands over a module that was loaded before, as it was."""

    def __init__(self, module, original):
        self.module = module
        self.original = original

    def create_module(self, spec):
        return self.module

    def exec_module(self, module):
        module.__spec__ = self.original


def count_threads():
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return threading.active_count()


class Loaded:
    """What was loaded before there was a run, and from where."""

    def __init__(self):
        self.modules = frozenset(sys.modules)
        # A file of these names beside a script is what the script means.
        self.shadowable = {name.partition(".")[0] for name in self.modules} - {
            name.partition(".")[0] for name in at_start
        }
        self.stdlib = os.path.dirname(os.__file__)
        self.before_stdlib = []
        for folder in sys.path:
            if os.path.realpath(folder) == os.path.realpath(self.stdlib) or folder.endswith(".zip"):
                break
            self.before_stdlib.append(folder)
        self.files = self.watched()
        self.stamps = [stamp_of(path) for path in self.files]

    def watched(self):
        """What a changed environment changes: interpreter, environment, packages, and the files that were loaded from them."""
        paths = [sys.executable, os.path.realpath(sys.executable), os.__file__, os.path.join(sys.prefix, "pyvenv.cfg")]
        for folder in sys.path:
            if folder == self.stdlib or folder.startswith(os.path.join(self.stdlib, "lib-dynload")):
                continue
            paths.append(folder)
            try:
                paths += [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".pth")]
            except OSError:
                pass
        for name in self.modules:
            path = getattr(sys.modules[name], "__file__", None)
            if isinstance(path, str) and not (path.startswith(self.stdlib) and "-packages" not in path):
                paths.append(path)
        host = os.path.abspath(template["__file__"])
        return [path for path in dict.fromkeys(paths) if path != host]

    def is_stale(self):
        for path, stamp in zip(self.files, self.stamps):
            if stamp_of(path) != stamp:
                return True
        return False

    def is_shadowed_by(self, folder):
        for place in [folder, *self.before_stdlib]:
            try:
                names = os.listdir(place)
            except OSError:
                continue
            for name in names:
                stem, dot, _ = name.partition(".")
                if stem not in self.shadowable:
                    continue
                # A folder is a package only with a file that says so; without one, the module that was loaded wins.
                path = os.path.join(place, name)
                if dot or os.path.isfile(os.path.join(path, "__init__.py")) or os.path.islink(path):
                    return True
        return False


def stamp_of(path):
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)


def serve(config, loaded):
    """Forks a child for every line that asks for one, and tells how each has ended. Returns in the children only."""
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_read, False)
    os.set_blocking(wake_write, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    poller = select.poll()
    poller.register(CONTROL, select.POLLIN)
    poller.register(wake_read, select.POLLIN)
    # What is there now is there for good: looking through it again would only make copies of its pages.
    gc.collect()
    gc.freeze()
    gc.disable()
    rest = b""
    is_closing = False
    while not (is_closing and is_childless()):
        ready_handles = [handle for handle, _ in poller.poll()]
        if wake_read in ready_handles:
            try:
                os.read(wake_read, 4096)
            except BlockingIOError:
                pass
            reap()
        if CONTROL not in ready_handles:
            continue
        chunk = os.read(CONTROL, 65536)
        if not chunk:
            poller.unregister(CONTROL)
            is_closing = True
            reap()
            continue
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            request = json.loads(line)
            if loaded.is_stale():
                tell("stale", request["seq"])
                continue
            child = fork(request)
            if child is None:
                continue
            for handle in (CONTROL, wake_read, wake_write):
                os.close(handle)
            poller = None
            if request["idle"]:
                rehearse(loaded)
            order = await_order(child)
            return order, loaded, config
    os._exit(0)


def is_childless():
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return False
    except ChildProcessError:
        return True


def fork(request):
    """In the child the handle on which its run comes; None in the server."""
    handles = []
    try:
        for path, flags in ((request["order"], os.O_RDONLY), (request["stdout"], os.O_WRONLY), (request["stderr"], os.O_WRONLY)):
            # The other end is open: none of these waits.
            handles.append(os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC))
        pid = os.fork()
    except OSError:
        for handle in handles:
            os.close(handle)
        tell("refused", request["seq"])
        return None
    if pid != 0:
        for handle in handles:
            os.close(handle)
        tell("born", request["seq"], pid)
        return None
    os.setsid()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    set_native_id = getattr(threading.main_thread(), "_set_native_id", None)
    if set_native_id is not None:
        set_native_id()
    order, stdout, stderr = handles
    for handle in handles:
        os.set_blocking(handle, True)
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)
    os.close(stdout)
    os.close(stderr)
    gc.enable()
    return order


def reap():
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        if os.WIFSIGNALED(status):
            tell("ended", pid, -1, os.WTERMSIG(status))
        elif os.WIFEXITED(status):
            tell("ended", pid, os.WEXITSTATUS(status), 0)


def tell(*words):
    try:
        os.write(CONTROL, (" ".join(map(str, words)) + "\n").encode())
    except OSError:
        # Nobody is there to hear it: the next read says so, too.
        pass


def ready():
    tell("ready")


def leave(why):
    tell(why)
    os._exit(0)


def read_line(handle):
    """Nothing follows it before it was answered."""
    line = b""
    while not line.endswith(b"\n"):
        piece = os.read(handle, 65536)
        if not piece:
            os._exit(0)
        line += piece
    return line


def await_order(handle):
    order = json.loads(read_line(handle))
    os.close(handle)
    order["parent"] = os.getppid()
    return order


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
            code = compile(file.read(), entry, "exec", dont_inherit=True)
    except BaseException:
        start_cold(order)
    sys.argv = [entry, *order["args"]]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv = [order["file"], *sys.argv]
    sys.path.insert(0, folder)
    # Files may have come since the folders were looked at, in the same tick of the clock.
    # Python looks first whether what it was told to run is a folder or an archive, and notes that it is not.
    sys.path_importer_cache.pop(template["__file__"], None)
    sys.path_importer_cache[entry] = None
    for finder in sys.path_importer_cache.values():
        if finder is not None:
            finder.invalidate_caches()
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


def set_cookie(run_id):
    """In the place of the one that this process was started with, where others look for it, too."""
    cookie = run_id.encode()
    try:
        with open("/proc/self/stat", "rb") as file:
            start = int(file.read().rpartition(b")")[2].split()[47])
        with open("/proc/self/environ", "rb") as file:
            offset = (b"\0" + file.read()).index(b"\0" + COOKIE.encode() + b"=") + len(COOKIE) + 1
        handle = os.open("/proc/self/mem", os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.pwrite(handle, cookie, start + offset)
        finally:
            os.close(handle)
        os.environ._data[COOKIE.encode()] = cookie
        import posix

        posix.environ[COOKIE.encode()] = cookie
    except (OSError, ValueError, AttributeError):
        os.environ[COOKIE] = run_id


def rehearse(loaded):
    """Does what every run does, to no effect: the pages that it writes to are then this process's own before somebody waits."""
    before = set(sys.modules)
    sys.modules.update(shelf)
    for name, module in shelf.items():
        bind(name, module)
    try:
        loaded.is_stale()
        loaded.is_shadowed_by("/")
        with open(template["__file__"], "rb") as file:
            file.read(4096)
        exec(compile(REHEARSAL, "rehearsal", "exec"), {"__name__": "rehearsal", "__builtins__": builtins})
        for place in list(sys.path_importer_cache):
            importlib.PathFinder.find_spec("rehearsal", [place])
    except Exception:
        # Then a run takes a millisecond longer.
        pass
    for name in shelf:
        unbind(name)
    for name in sys.modules.keys() - before:
        del sys.modules[name]
    gc.collect()


REHEARSAL = """
import argparse, json, os, sys
class Thing:
    def use(self, *things, **named):
        return [thing for thing in things]
Thing().use(1, a=2)
json.loads(json.dumps({"data": [1, 2.5, "text", None, {"a": [True]}]}, indent=2, ensure_ascii=False))
parser = argparse.ArgumentParser(prog="rehearsal")
parser.add_argument("parameters", nargs="?")
parser.add_argument("--quality", type=int, default=1)
parser.parse_args(["file", "--quality", "2"])
"{:>10} {!r}".format(1, "a").encode("utf-8").decode("utf-8")
"""


def start_cold(order):
    for number in (signal.SIGPIPE, getattr(signal, "SIGXFSZ", signal.SIGPIPE)):
        signal.signal(number, signal.SIG_DFL)
    os.execv(order["file"], [order["file"], *order["options"], order["entry"], *order["args"]])


def reseed():
    numbers = sys.modules.get("numpy.random")
    if numbers is not None:
        numbers.seed()


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


# The script runs in this frame, and in none above it: it is the only one of ours that a traceback could show.
order, loaded, config = main()
order["pid"] = os.getpid()
code = become(order, loaded)
failure = None
try:
    exec(code, sys.modules["__main__"].__dict__)
except BaseException as error:
    failure = error
# Not within the `except`: nothing is being handled any more when Python reports what nobody has caught.
exit_code = 0 if failure is None else report(failure)
was_interrupted = isinstance(failure, KeyboardInterrupt)
failure = None
if finish(exit_code, order, loaded, was_interrupted):
    # The long way: Python itself takes everything apart.
    if was_interrupted:
        sys.excepthook = lambda *_: None
        raise KeyboardInterrupt
    sys.exit(exit_code)
