import gc

cycle = [begin()]
cycle.append(cycle)
del cycle
gc.freeze()
