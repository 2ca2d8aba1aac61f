import warnings

for level in range(1, 6):
    warnings.warn(f"level {level}", stacklevel=level)


def warn():
    warnings.warn("from a function", stacklevel=3)


warn()
print(warnings.filters)
