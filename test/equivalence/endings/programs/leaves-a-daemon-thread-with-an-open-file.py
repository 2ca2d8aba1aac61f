import threading

file = open("out.txt", "w")
file.write("text\n")
threading.Thread(target=threading.Event().wait, daemon=True).start()
