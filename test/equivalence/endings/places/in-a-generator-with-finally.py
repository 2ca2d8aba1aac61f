def lines():
    file = begin()
    try:
        yield file
    finally:
        file.write("finally\n")
        print("finally")


generator = lines()
next(generator)
