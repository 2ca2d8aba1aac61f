import gc


class Thing:
    pass


gc.garbage.append(Thing())
