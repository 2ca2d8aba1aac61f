"""A terminal emulator without a screen. It runs the given command in a new pseudo-terminal.

Options come before the command, followed by `--`:
  type=TEXT      types a text when the program has printed `ready`
  read-only      stdin is opened for reading only, stdout and stderr for writing only
  without-pty    the program cannot load its pseudo-terminal library
"""
import os
import pty
import sys

odd = sys.argv[1 : sys.argv.index("--")]
command = sys.argv[sys.argv.index("--") + 1 :]
typed = [word[5:] for word in odd if word.startswith("type=")]
if "without-pty" in odd:
    hook = """import { register } from 'node:module';
register('data:text/javascript,' + encodeURIComponent(`export function resolve(name, context, next) {
  if (name.startsWith('@lydell/node-pty')) throw new Error('not for this platform');
  return next(name, context);
}`));"""
    command[1:1] = ["--import", "data:text/javascript," + hook.replace("\n", " ")]
pid, master = pty.fork()
if pid == 0:
    if "read-only" in odd:
        name = os.ttyname(0)
        for fd, flags in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
            opened = os.open(name, flags)
            os.dup2(opened, fd)
            os.close(opened)
    os.execvp(command[0], command)
shown = b""
while True:
    try:
        piece = os.read(master, 65536)
    except OSError:
        break
    if not piece:
        break
    shown = (shown + piece)[-1000:]
    if typed and b"ready" in shown:
        os.write(master, typed.pop().encode().decode("unicode_escape").encode())
os.waitpid(pid, 0)
