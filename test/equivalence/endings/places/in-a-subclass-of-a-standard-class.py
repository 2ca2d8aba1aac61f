import collections


class Own(collections.OrderedDict):
    kept = begin()
