import atexit

atexit.register(lambda kept: kept.write("atexit\n"), begin())
