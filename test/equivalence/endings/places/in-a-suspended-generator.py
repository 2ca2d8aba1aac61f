def lines():
    with begin() as file:
        while True:
            file.write((yield) + "\n")


generator = lines()
next(generator)
generator.send("sent")
