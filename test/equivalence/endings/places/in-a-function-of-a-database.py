import sqlite3


def make():
    kept = begin()
    return lambda: kept.name


connection = sqlite3.connect(":memory:")
connection.create_function("name", 0, make())
