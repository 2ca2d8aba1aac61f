raise ValueError("not this one")
