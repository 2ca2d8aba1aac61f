import gc


def make():
    kept = begin()
    return lambda phase, info: kept and None


gc.callbacks.append(make())
