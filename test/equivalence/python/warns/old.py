import warnings


def call():
    warnings.warn("hidden", DeprecationWarning)
    warnings.warn("blames the caller", DeprecationWarning, stacklevel=2)
