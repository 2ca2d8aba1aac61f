def make():
    kept = begin()

    def use():
        return kept

    return use


use = make()
print(use() is use())
