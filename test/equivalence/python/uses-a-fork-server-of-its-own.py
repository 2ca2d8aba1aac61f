import multiprocessing
from multiprocessing import forkserver, resource_tracker


def look(value):
    return __name__, value + 1


if __name__ == "__main__":
    context = multiprocessing.get_context("forkserver")
    with context.Pool(1) as pool:
        print(pool.map(look, [1, 2]))
    # Otherwise they end some time after this.
    forkserver._forkserver._stop()
    resource_tracker._resource_tracker._stop()
