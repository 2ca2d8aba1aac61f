import asyncio


async def fail():
    await asyncio.sleep(0)
    raise ValueError("in a coroutine")


asyncio.run(fail())
