import sqlite3


class Thing:
    pass


def make():
    kept = begin()
    return lambda thing: kept.name


sqlite3.register_adapter(Thing, make())
