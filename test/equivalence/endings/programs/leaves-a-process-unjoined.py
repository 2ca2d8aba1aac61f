import multiprocessing


def work():
    file = open("child.txt", "w")
    file.write("from the child\n")
    multiprocessing.kept = file


if __name__ == "__main__":
    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
