import first
from things import Thing

own = Thing("second own")
first.other = Thing("first other")
