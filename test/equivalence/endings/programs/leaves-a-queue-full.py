import multiprocessing


def read(queue):
    with open("child.txt", "w") as file:
        file.write(str(len(queue.get())))


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=read, args=(queue,))
    process.start()
    queue.put("x" * 300_000)
