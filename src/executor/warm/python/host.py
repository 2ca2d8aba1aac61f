# Runs Python scripts without waiting for an interpreter to start. The first line on handle 3 selects one of two modes:
# a fork server, which loads the modules that scripts commonly need and forks one child for each run; or a single
# interpreter that waits itself. Each process runs one script. Python is stopped at the point where it would open its
# script, whose name is a placeholder. When a run arrives, the placeholder is replaced in memory, and Python continues:
# it opens, runs and ends the script by itself. A run that this cannot reproduce exactly becomes an ordinary start, by
# exec, before any part of its script has run.

import sys

# The modules that are loaded when a script starts, and the names in its namespace.
at_start = frozenset(sys.modules)
folders_at_start = frozenset(sys.path_importer_cache)
template = dict(sys.modules["__main__"].__dict__)

import builtins
import os


def include(name):
    """Reads a part of this program. It is not imported, because scripts would find it among their modules."""
    path = os.path.join(folder, name)
    with open(path, "rb") as file:
        exec(compile(file.read(), path, "exec"), globals())


# This comes first, because it records the imports that follow.
include("shelf.py")

import gc
import json
import select
import signal
import threading
import types

include("memory.py")
include("begin.py")
include("end.py")

CONTROL = 3


def await_run(stand_in):
    """Returns when this process is ready to run its script; never returns in the fork server."""
    config = json.loads(read_line(CONTROL))
    memory = find_memory(stand_in)
    is_known = sys.implementation.name == "cpython" and hasattr(sys, "__interactivehook__")
    if not is_known or getattr(sys.flags, "safe_path", False) or memory is None:
        leave("unfit")
    restore_search_path(memory, config["python_path"])
    end_when_deserted(True)
    preload(config["preload"])
    end_when_deserted(False)
    if has_children():
        # These processes belong to no script, and end with this process group.
        tell("unfit")
        os.killpg(0, signal.SIGKILL)
    loaded = Loaded()
    builtins.__import__ = real_import
    put_on_shelf(config["preload"])
    if config["fork"]:
        if has_generators() or (count_threads() > 1 and not ends_threads_to_fork()):
            leave("threads")
        tell("ready")
        order = serve(loaded)
    else:
        tell("ready")
        order = await_order(CONTROL)
    become(order, loaded, memory)


def end_when_deserted(is_so):
    """While modules are loaded, this process does not read its control handle. Therefore the kernel kills it when the
    executor closes the other end. A module may never finish loading."""
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


def ends_threads_to_fork():
    """Whether all other threads belong to libraries that end them before a fork and start them again when they are
    needed, as OpenBLAS does. A fork that only exits shows it."""
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    for _ in range(100):
        if os.waitpid(pid, os.WNOHANG)[0] == pid:
            return count_threads() == 1
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return False


def has_generators():
    """Whether a module has created a random number generator, or has set the seed of the generator that numpy or torch
    shares. All forks would get the same numbers. Otherwise these shared generators are seeded again for each run."""
    return has_generators_of_numpy() or has_generators_of_torch()


def has_generators_of_numpy():
    numbers = sys.modules.get("numpy.random")
    if numbers is None:
        return False
    kind = getattr(numbers, "BitGenerator", object)
    own = getattr(numbers.mtrand._rand, "_bit_generator", None)
    # It forgets its first seed when a module sets another.
    is_seeded = getattr(own, "_seed_seq", own) is None
    return is_seeded or any(issubclass(type(each), kind) and each is not own for each in gc.get_objects())


def has_generators_of_torch():
    numbers = sys.modules.get("torch.random")
    if numbers is None:
        return False
    own = numbers.default_generator
    kind = type(own)
    # Without a seed from the program, a generator has a fixed one, and the shared one a random number of 64 bits.
    # Programs set smaller seeds.
    fixed, least_random = kind().initial_seed(), 1 << 32
    if own.initial_seed() < least_random:
        return True
    # The collector does not know the generators, but it knows the objects that hold them.
    others = (each for each in gc.get_referents(*gc.get_objects()) if type(each) is kind and each is not own)
    return any(seed != fixed and seed >= least_random for seed in (each.initial_seed() for each in others))


def serve(loaded):
    """Forks a child for each request, and reports how each child ended. Returns only in the children, with their
    run."""
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_read, False)
    os.set_blocking(wake_write, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    poller = select.poll()
    poller.register(CONTROL, select.POLLIN)
    poller.register(wake_read, select.POLLIN)
    freeze()
    gc.disable()
    spans = find_own_memory()
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
            gc.enable()
            globals()["is_forked"] = True
            if request["idle"]:
                copy_memory(spans, child)
            return await_order(child)
    os._exit(0)


def is_childless():
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return False
    except ChildProcessError:
        return True


def fork(request):
    """Returns, in the child, the handle that delivers the run, and None in the server."""
    handles = []
    try:
        for path, flags in ((request["order"], os.O_RDONLY), (request["stdout"], os.O_WRONLY), (request["stderr"], os.O_WRONLY)):
            # The executor holds the other end open, so none of these calls blocks.
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
        # The executor has ended: the next read finds that, too.
        pass


def leave(why):
    tell(why)
    os._exit(0)


def read_line(handle):
    """Reads one line. The executor sends nothing after it until this process answers."""
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
    return order
