mark = "own asyncio"
