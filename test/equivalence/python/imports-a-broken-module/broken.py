def fine():
    return 1

def broken(:
    return 2
