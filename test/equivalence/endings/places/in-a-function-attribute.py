def use():
    return use.kept


use.kept = begin()
