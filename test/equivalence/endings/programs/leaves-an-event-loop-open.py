import asyncio


async def lines():
    try:
        yield 1
    finally:
        print("finally")


async def main(generator):
    print(await generator.__anext__())


loop = asyncio.new_event_loop()
generator = lines()
loop.run_until_complete(main(generator))
