import importlib
import json
import sys

json.mark = 1
del sys.modules["json"]
import json as again

print(hasattr(again, "mark"))
importlib.reload(again)
print(again.loads("[1]"), importlib.util.find_spec("json").origin == again.__file__)
