import multiprocessing


def add(counter, shared):
    with counter.get_lock():
        counter.value += 1
    shared["seen"] = True


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with context.Manager() as manager:
        shared = manager.dict()
        counter = context.Value("i", 0)
        workers = [context.Process(target=add, args=(counter, shared)) for _ in range(3)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        print(counter.value, dict(shared))
