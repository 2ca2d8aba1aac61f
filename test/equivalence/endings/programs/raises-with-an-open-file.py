file = open("out.txt", "w")
file.write("before the error\n")


def fail():
    local = open("local.txt", "w")
    local.write("before the error\n")
    raise ValueError("an error")


fail()
