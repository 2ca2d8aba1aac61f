import multiprocessing
import time


def work(ready):
    ready.set()
    time.sleep(60)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    process = context.Process(target=work, args=(ready,), daemon=True)
    process.start()
    ready.wait()
    print("main is done")
