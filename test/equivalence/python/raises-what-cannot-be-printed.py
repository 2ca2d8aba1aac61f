class Broken(Exception):
    def __str__(self):
        raise TypeError("no words")


raise Broken()
