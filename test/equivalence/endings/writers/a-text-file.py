def begin():
    file = open("out.txt", "w", encoding="utf-8")
    file.write("first line\n第二行\n")
    return file
