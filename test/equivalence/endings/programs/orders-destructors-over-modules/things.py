class Thing:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print(self.name)


own = Thing("things own")
