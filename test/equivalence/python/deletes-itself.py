import os

os.unlink(__file__)
print("gone:", not os.path.exists(__file__))


def fail():
    raise ValueError("without a source line")


fail()
