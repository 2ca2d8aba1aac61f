async def write(file):
    file.write("never written\n")


coroutine = write(begin())
