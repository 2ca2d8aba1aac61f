__kept__ = begin()
