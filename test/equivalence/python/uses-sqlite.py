import sqlite3

database = sqlite3.connect("data.db")
database.execute("create table words (word text)")
database.executemany("insert into words values (?)", [("one",), ("二",)])
database.commit()
print(database.execute("select * from words").fetchall())
database.close()
