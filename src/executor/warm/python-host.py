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
import os


def include(name):
    """Reads a part of this program. Not by an import: it would be among the modules that a script finds."""
    path = os.path.join(os.path.dirname(os.path.abspath(template["__file__"])), name)
    with open(path, "rb") as file:
        exec(compile(file.read(), path, "exec"), globals())


# First, for it takes note of what is imported from here on.
include("python-shelf.py")

import gc
import json
import select
import signal
import threading
import types

include("python-code.py")
include("python-begin.py")
include("python-end.py")

CONTROL = 3


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
    order = await_order(CONTROL, os.getppid())
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


def count_threads():
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return threading.active_count()


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
    # Not to be asked for by the children: the server may be gone by then.
    server = os.getpid()
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
            if request["idle"]:
                compile_ahead(request["entry"])
            child = fork(request)
            if child is None:
                # Whoever waits for this one goes first.
                if not request["idle"]:
                    compile_ahead(request["entry"])
                continue
            for handle in (CONTROL, wake_read, wake_write):
                os.close(handle)
            poller = None
            if request["idle"]:
                rehearse(loaded)
            order = await_order(child, server)
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


def await_order(handle, parent):
    order = json.loads(read_line(handle))
    os.close(handle)
    order["parent"] = parent
    return order


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
