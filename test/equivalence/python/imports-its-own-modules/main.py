import sys

import helper
import tools
import tools.deep.leaf
from tools import name
from tools.deep import leaf

print(helper.__file__, helper.__name__, helper.__package__, helper.who)
print(tools.__path__, tools.__file__, name, leaf.up)
print(sys.modules["helper"] is helper, "main" in sys.modules)
import main

print(main.__name__)
