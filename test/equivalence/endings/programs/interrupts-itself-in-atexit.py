import atexit


@atexit.register
def interrupt():
    raise KeyboardInterrupt


atexit.register(print, "first")
file = open("out.txt", "w")
file.write("kept\n")
