import warnings


class Thing:
    def __del__(self):
        warnings.warn("in a destructor", stacklevel=2)


thing = Thing()
warnings.warn("beyond the top", stacklevel=5)
warnings.warn("at the top", stacklevel=1)
