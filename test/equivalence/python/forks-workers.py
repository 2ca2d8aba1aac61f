import multiprocessing
import os


def double(value):
    return __name__, 2 * value


def tell(queue, parent):
    queue.put((__name__, os.getppid() == parent, multiprocessing.current_process().name))


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        print(pool.map(double, range(5)))
    queue = context.Queue()
    process = context.Process(target=tell, args=(queue, os.getpid()))
    process.start()
    print(queue.get())
    process.join()
    print(process.exitcode, multiprocessing.current_process().name, multiprocessing.parent_process())
