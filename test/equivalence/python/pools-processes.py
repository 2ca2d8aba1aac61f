from concurrent.futures import ProcessPoolExecutor


def square(value):
    return value * value


if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        print(list(pool.map(square, range(6))))
        print(repr(pool.submit(int, "x").exception()))
