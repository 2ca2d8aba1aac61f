import weakref

kept = begin()
by_name = weakref.WeakValueDictionary(kept=kept)
