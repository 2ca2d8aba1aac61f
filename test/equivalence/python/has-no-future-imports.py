def plain(value: int) -> "str":
    return value


print(plain.__annotations__)
import __future__
import sys

print([name for name in __future__.all_feature_names if name in globals()])
print(sys._getframe().f_code.co_flags & 0x1FF0000)
exec("def inner(x: int): pass\nprint(inner.__annotations__)")
assert plain(1) == 1


def undefined(value: nobody_knows_this):
    pass
