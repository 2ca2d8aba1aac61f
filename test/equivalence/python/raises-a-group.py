def fail(error):
    raise error


def collect(errors):
    caught = []
    for error in errors:
        try:
            fail(error)
        except Exception as seen:
            caught.append(seen)
    raise ExceptionGroup("several", caught)


collect([ValueError("one"), TypeError("two")])
