import importlib

helper = importlib.import_module("helper")
helper.use.kept = begin()
del helper
