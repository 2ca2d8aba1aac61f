def fail():
    raise ValueError("while it is imported")


fail()
