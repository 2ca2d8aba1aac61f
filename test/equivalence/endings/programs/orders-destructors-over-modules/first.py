from things import Thing

own = Thing("first own")
_own = Thing("first _own")


def use():
    return own
