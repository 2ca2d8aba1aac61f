import gc

gc.garbage.append(begin())
