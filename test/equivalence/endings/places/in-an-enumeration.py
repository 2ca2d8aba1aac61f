import enum


class Colour(enum.Enum):
    RED = 1


Colour.RED.kept = begin()
