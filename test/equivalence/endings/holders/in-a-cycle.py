class Node:
    pass


def make():
    one, other = Node(), Node()
    one.other, other.other = other, one
    one.kept = begin()
    return other


node = make()
