import threading


def late(number, before):
    before.join()
    print("thread", number)


before = threading.main_thread()
for number in (1, 2, 3):
    before = threading.Thread(target=late, args=(number, before))
    before.start()
print("main is done")
