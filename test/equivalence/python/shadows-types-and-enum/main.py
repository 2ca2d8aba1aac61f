import types

print(types.__file__, types.mark)
import enum
