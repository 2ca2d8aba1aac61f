file = open("out.txt", "w")
file.write("before the recursion\n")


def recurse(kept):
    recurse(kept)


recurse(open("local.txt", "w"))
