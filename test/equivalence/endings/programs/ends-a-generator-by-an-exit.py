import sys


def numbers():
    try:
        yield 1
    except GeneratorExit:
        print("closed")
        sys.exit(8)


generator = numbers()
print(next(generator))
