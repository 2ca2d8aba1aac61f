import os
import sys

import beside

print(__file__, sys.argv[0], sys.path[0], beside.__file__, os.getcwd())
