class Thing:
    def __del__(self):
        import string

        print(string.digits)


class Other:
    def __del__(self):
        import json

        print(json.dumps([1]))


thing = Thing()
cycle = [Other()]
cycle.append(cycle)
