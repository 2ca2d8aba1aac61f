error = SystemExit(5)
del error.code
raise error
