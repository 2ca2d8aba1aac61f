import threading

file = open("out.txt", "w")


def write():
    threading.main_thread().join()
    file.write("after the main thread\n")
    print("after the main thread", threading.main_thread().is_alive())


threading.Thread(target=write).start()
print("main is done")
