import sys


class Finder:
    def __init__(self):
        self.kept = begin()

    def find_spec(self, name, path=None, target=None):
        return None


sys.meta_path.append(Finder())
