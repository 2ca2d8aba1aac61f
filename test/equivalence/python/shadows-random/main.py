import random

print(random.__file__, random.mark)
try:
    import tempfile

    print(tempfile.gettempdir())
except Exception as error:
    print(type(error).__name__, error)
