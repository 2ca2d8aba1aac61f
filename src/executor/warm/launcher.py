# Starts programs for a process that is too large to do so quickly: the system copies the tables of a process' memory whenever it forks,
# and this one has hardly any. Each line on handle 3 asks for one, which gets a session of its own, as if that process had started it.
# What cannot be started is refused, and left to that process, which finds out why. What the environments of all have in common is said
# once, in a line of its own.

import gc
import json
import os
import select
import signal
import sys

CONTROL = 3
KEPT = {signal.SIGKILL, signal.SIGSTOP}


def main():
    if not hasattr(os, "posix_spawn"):
        tell("unfit")
        return
    os.set_inheritable(CONTROL, False)
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_read, False)
    os.set_blocking(wake_write, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    poller = select.poll()
    poller.register(CONTROL, select.POLLIN)
    poller.register(wake_read, select.POLLIN)
    defaults = [number for number in range(1, 32) if number not in KEPT]
    running = set()
    shared = {}
    rest = b""
    is_closing = False
    # What is there stays, and nothing that comes refers to itself.
    gc.disable()
    tell("ready")
    while not (is_closing and not running):
        handles = [handle for handle, _ in poller.poll()]
        if wake_read in handles:
            os.read(wake_read, 4096)
            reap(running)
        if CONTROL not in handles:
            continue
        chunk = os.read(CONTROL, 65536)
        if not chunk:
            poller.unregister(CONTROL)
            is_closing = True
            continue
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            order = json.loads(line)
            if "shared" in order:
                shared = order["shared"]
                continue
            try:
                environment = {**shared, **order["env"]}
                # Last in every start, because a warm Python has it there.
                if "PYTHONPATH" in environment:
                    environment["PYTHONPATH"] = environment.pop("PYTHONPATH")
                pid = start(order, environment, defaults)
            except (OSError, ValueError):
                tell("refused", order["seq"])
                continue
            running.add(pid)
            tell("born", order["seq"], pid)


def start(order, environment, defaults):
    handles = []
    try:
        for path in (order["stdout"], order["stderr"]):
            # Somebody reads from it, or is gone: then this must not wait.
            handles.append(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC))
            os.set_blocking(handles[-1], True)
        os.chdir(order["cwd"])
        return os.posix_spawn(
            order["file"],
            [order["file"], *order["args"]],
            environment,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, handles[0], 1),
                (os.POSIX_SPAWN_DUP2, handles[1], 2),
            ],
            setsid=True,
            setsigmask=[],
            setsigdef=defaults,
        )
    finally:
        for handle in handles:
            os.close(handle)
        # No folder is held that its owner may want to unmount.
        os.chdir("/")


def reap(running):
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        running.discard(pid)
        if os.WIFSIGNALED(status):
            tell("ended", pid, 0, os.WTERMSIG(status))
        else:
            tell("ended", pid, os.WEXITSTATUS(status), 0)


def tell(word, *numbers):
    try:
        os.write(CONTROL, (" ".join([word, *map(str, numbers)]) + "\n").encode())
    except OSError:
        # Nobody is there any more: what runs goes on, and whoever comes next finds it.
        sys.exit()


main()
