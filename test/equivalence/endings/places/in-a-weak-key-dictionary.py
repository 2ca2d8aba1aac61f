import weakref


class Key:
    pass


key = Key()
kept = weakref.WeakKeyDictionary({key: begin()})
