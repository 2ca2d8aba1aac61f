import os

os.kept = begin()
