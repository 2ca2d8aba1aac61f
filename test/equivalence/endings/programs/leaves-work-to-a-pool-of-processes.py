import concurrent.futures
import multiprocessing


def work(number):
    with open(f"work-{number}.txt", "w") as file:
        file.write("done")


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    pool = concurrent.futures.ProcessPoolExecutor(1, mp_context=context)
    for number in range(4):
        pool.submit(work, number)
