import sys

write = sys.stdout.write
is_done = False


def hook(event, arguments, write=write):
    if is_done and not event.startswith(("object.", "compile", "exec", "sys._getframe")):
        write(f"{event}\n")


sys.addaudithook(hook)
is_done = True
