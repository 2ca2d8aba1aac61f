def numbers():
    try:
        yield 1
        yield 2
    finally:
        print("finally", __name__)


def chain():
    yield from numbers()


one, other = numbers(), chain()
print(next(one), next(other))
