import mmap


class Pages:
    def __init__(self):
        self.file = open("pages.bin", "w+b")
        self.file.write(b"open  " + bytes(4090))
        self.file.flush()
        self.map = mmap.mmap(self.file.fileno(), 4096)
        self.file.write(b"behind the pages")

    def __del__(self):
        self.map[:6] = b"closed"
        self.map.close()


def begin():
    return Pages()
