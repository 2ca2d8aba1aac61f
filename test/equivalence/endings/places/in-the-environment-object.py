import os

os.environ.kept = begin()
