class Thing:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        raise ValueError(self.name)


one = Thing("one")
_two = Thing("two")
cycle = [Thing("three")]
cycle.append(cycle)
