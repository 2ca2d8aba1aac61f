def keep():
    global kept
    kept = begin()


def use():
    return kept


keep()
print(use() is kept)
