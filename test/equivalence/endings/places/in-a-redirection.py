import contextlib

redirection = contextlib.redirect_stdout(begin())
redirection.__enter__()
print("printed")
