import codecs


def make():
    kept = begin()
    return lambda name: kept and None


codecs.register(make())
