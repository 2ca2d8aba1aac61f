import string

print(string.__file__, string.mark)
try:
    import logging
except Exception as error:
    print(type(error).__name__, error)
