import asyncio
import signal
import sys


async def tick(name, seconds):
    await asyncio.sleep(seconds)
    return name


async def main():
    print(await asyncio.gather(tick("late", 0.02), tick("early", 0.001)))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "import sys; print('child'); sys.exit(3)", stdout=asyncio.subprocess.PIPE
    )
    print(await process.communicate(), process.returncode)
    shell = await asyncio.create_subprocess_shell("echo shell; kill -TERM $$")
    print(await shell.wait())
    loop = asyncio.get_running_loop()
    seen = asyncio.Event()
    loop.add_signal_handler(signal.SIGUSR1, seen.set)
    signal.raise_signal(signal.SIGUSR1)
    await asyncio.wait_for(seen.wait(), 5)
    print(await asyncio.to_thread(sum, [1, 2, 3]), type(loop).__name__)


asyncio.run(main())
