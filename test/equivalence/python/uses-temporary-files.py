import os
import tempfile

with tempfile.NamedTemporaryFile("w+", suffix=".txt") as file:
    file.write("kept a moment")
    file.flush()
    print(os.path.getsize(file.name), oct(os.stat(file.name).st_mode))
with tempfile.TemporaryDirectory(dir=".") as folder:
    open(os.path.join(folder, "x"), "w").close()
    print(os.listdir(folder))
print(tempfile.gettempdir(), tempfile.tempdir)
open("stays.txt", "w").write("stays")
os.mkdir("made")
os.symlink("stays.txt", "made/link")
