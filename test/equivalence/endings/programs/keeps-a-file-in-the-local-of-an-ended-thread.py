import threading

local = threading.local()


def work():
    local.file = open("out.txt", "w")
    local.file.write("from a thread\n")


thread = threading.Thread(target=work)
thread.start()
thread.join()
with open("out.txt") as file:
    print(file.read())
