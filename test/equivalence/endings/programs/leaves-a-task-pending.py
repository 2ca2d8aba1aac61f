import asyncio

loop = asyncio.new_event_loop()


async def wait():
    await loop.create_future()


task = loop.create_task(wait())
loop.run_until_complete(asyncio.sleep(0))
