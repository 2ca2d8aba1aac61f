import functools


@functools.lru_cache
def make():
    return begin()


print(make() is make())
