class Thing:
    def __del__(self):
        print("del")


def hold():
    thing = Thing()
    raise ValueError("holds the frame")


kept = Thing()
hold()
