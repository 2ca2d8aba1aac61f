import tempfile

folder = tempfile.TemporaryDirectory(dir=".")
tempfile.kept = tempfile.TemporaryDirectory(dir=".")
