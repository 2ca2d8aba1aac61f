# Starts programs for a process that is too large to do so quickly: the system copies the memory tables of a process
# when it forks, and this process has hardly any memory. Each line on handle 3 requests one program. The program gets
# its own session, as if the requesting process had started it. A program that cannot be started is refused; the
# requesting process then starts it itself and finds the cause. The environment that all programs share is sent once, in
# a separate line.

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
    # The existing objects stay, and new ones contain no cycles.
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
                # PYTHONPATH comes last in every start, because a warm Python has it there.
                if "PYTHONPATH" in environment:
                    environment["PYTHONPATH"] = environment.pop("PYTHONPATH")
                start(order, environment, defaults, running)
            except (OSError, ValueError):
                tell("refused", order["seq"])


def start(order, environment, defaults, running):
    handles = []
    try:
        for path in (order["stdout"], order["stderr"]):
            # The pipe has a reader unless the executor has ended. Without a reader, this must not block.
            handles.append(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC))
            os.set_blocking(handles[-1], True)
        os.chdir(order["cwd"])
        pid = os.posix_spawn(
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
        running.add(pid)
        # The pipes are closed after this: while they are open, the executor knows that this start is on its way.
        tell("born", order["seq"], pid)
    finally:
        for handle in handles:
            os.close(handle)
        # Do not stay in a folder that its owner may want to unmount.
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
        # The executor has ended. Running programs continue, and the next executor finds them.
        sys.exit()


main()
