import sqlite3


def begin():
    # In this mode the last connection moves its log into the database when it closes.
    connection = sqlite3.connect("out.db")
    connection.execute("pragma journal_mode = wal")
    connection.execute("create table things (name text)")
    connection.execute("insert into things values ('kept')")
    connection.commit()
    connection.execute("insert into things values ('never committed')")
    return connection
