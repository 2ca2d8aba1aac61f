from __future__ import annotations


def lazy(value: nobody_knows_this):
    pass


print(lazy.__annotations__)
