class Fragile:
    def __del__(self):
        raise ValueError("in del")


Fragile()
print("goes on")
