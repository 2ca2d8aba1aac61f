import tempfile

# Names that are the same in each run.
tempfile._name_sequence = iter(["one", "two"])
folder = tempfile.TemporaryDirectory(dir=".", prefix="folder-")
with open(folder.name + "/inside.txt", "w") as file:
    file.write("inside")
