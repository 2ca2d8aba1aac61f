import atexit


@atexit.register
def open_late():
    global file
    file = open("out.txt", "w")
    file.write("opened at the end\n")
