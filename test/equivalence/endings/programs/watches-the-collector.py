import gc

is_done = False


def watch(phase, info):
    if is_done and info["generation"] == 2:
        print(phase, sorted(info))


gc.callbacks.append(watch)
is_done = True
