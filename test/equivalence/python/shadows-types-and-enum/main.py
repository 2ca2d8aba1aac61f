import types

# Where something that is loaded with every start needs it, it is the library's.
print(types.__file__, getattr(types, "mark", "not own"))
try:
    import enum

    print(enum.__file__)
except Exception as error:
    print(type(error).__name__, error)
