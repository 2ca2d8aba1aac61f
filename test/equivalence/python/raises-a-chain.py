def first():
    raise KeyError("first")


def second():
    try:
        first()
    except KeyError as error:
        raise ValueError("second") from error


try:
    second()
except ValueError:
    raise RuntimeError("third")
