import threading
from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(3, thread_name_prefix="pool")
print(list(pool.map(lambda value: value + 1, range(5))))
done = threading.Event()


def late():
    done.wait()
    print("submitted, in", threading.current_thread().name.split("_")[0])


pool.submit(late)
print("main is done")
done.set()
