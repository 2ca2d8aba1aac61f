class Meta(type):
    kept = begin()


class Thing(metaclass=Meta):
    pass
