import os
import shutil


class Lock:
    def __init__(self, path):
        self.path = path
        with open(path, "w") as file:
            file.write("locked")

    def __del__(self):
        os.remove(self.path)
        print("removed", self.path)


class Folder:
    def __init__(self, path):
        os.mkdir(path)
        self.path = path

    def __del__(self):
        shutil.rmtree(self.path)


lock = Lock("lock")
folder = Folder("folder")
shutil.lock = Lock("other-lock")
