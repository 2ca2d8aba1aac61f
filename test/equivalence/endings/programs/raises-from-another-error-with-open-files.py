class Failure(Exception):
    def __init__(self, text):
        super().__init__(text)
        self.file = open(f"{text}.txt", "w")
        self.file.write(text)


try:
    raise Failure("first")
except Failure as error:
    raise Failure("second") from error
