import random

# Where something that is loaded with every start needs it, it is the library's.
print(random.__file__, getattr(random, "mark", "not own"))
try:
    import tempfile

    print(tempfile.gettempdir())
except Exception as error:
    print(type(error).__name__, error)
