class Thing:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print(self.name)


def use():
    return zebra


zebra = Thing("zebra")
_private = Thing("_private")
__dunder__ = Thing("__dunder__")
apple = Thing("apple")
_other = Thing("_other")
numbers = [Thing(number) for number in range(5)]
mapping = {"b": Thing("b"), "a": Thing("a")}
zebra = Thing("zebra again")
pair = Thing("left"), Thing("right")
middle = Thing("middle")
middle.inner = Thing("inner")
use.thing = Thing("of the function")
Thing.shared = Thing("of the class")
one, other = Thing("one of a cycle"), Thing("other of a cycle")
one.other, other.other = other, one
del one, other
