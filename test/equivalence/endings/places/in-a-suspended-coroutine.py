import types


@types.coroutine
def pause():
    yield


async def write():
    with begin() as file:
        await pause()
        file.write("never written\n")


coroutine = write()
coroutine.send(None)
