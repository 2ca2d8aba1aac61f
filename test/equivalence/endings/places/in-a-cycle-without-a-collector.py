import gc

gc.disable()
cycle = [begin()]
cycle.append(cycle)
del cycle
