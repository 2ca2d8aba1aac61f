import weakref


class Thing:
    def __init__(self, name):
        self.name = name


one, two, _three = Thing("one"), Thing("two"), Thing("three")
references = [weakref.ref(thing, lambda reference, name=thing.name: print(name)) for thing in (one, two, _three)]
kept = weakref.WeakSet([one, two])
