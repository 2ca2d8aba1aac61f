def inner(value):
    return 1 / value


def outer():
    return inner(0) + 1


outer()
