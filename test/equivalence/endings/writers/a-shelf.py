import dbm.dumb
import shelve


def begin():
    shelf = shelve.Shelf(dbm.dumb.open("shelf"), writeback=True)
    shelf["list"] = [1, 2]
    shelf["list"].append(3)
    return shelf
