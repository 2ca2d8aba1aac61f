def begin():
    file = open("out.bin", "wb")
    file.write(bytes(range(256)))
    return file
