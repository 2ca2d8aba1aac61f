import multiprocessing
import sys
from multiprocessing import resource_tracker


class Point:
    def __init__(self, x):
        self.x = x


def look(point):
    return __name__, point.x, sys.argv[0], sys.path[0]


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        print(pool.map(look, [Point(1), Point(2)]))
    process = context.Process(target=sys.exit, args=(3,))
    process.start()
    process.join()
    print(process.exitcode)
    # Otherwise it ends some time after this.
    resource_tracker._resource_tracker._stop()
