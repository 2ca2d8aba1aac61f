error = ValueError("noted")
error.add_note("look at this")
error.add_note("and\nat this")
raise error
