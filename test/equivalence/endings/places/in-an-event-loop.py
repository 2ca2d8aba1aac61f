import asyncio

loop = asyncio.new_event_loop()
loop.call_soon(print, begin())
