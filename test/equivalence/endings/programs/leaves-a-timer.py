import threading

file = open("out.txt", "w")
threading.Timer(0.05, file.write, ["from a timer\n"]).start()
