import __main__

who = __main__.__name__
