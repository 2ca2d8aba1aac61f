import fnmatch


class Pattern(str):
    pass


pattern = Pattern("*.txt")
pattern.kept = begin()
print(fnmatch.fnmatch("out.txt", pattern))
del pattern
