import threading

started = threading.Event()


def work():
    kept = begin()
    started.set()
    threading.Event().wait()


threading.Thread(target=work, daemon=True).start()
started.wait()
