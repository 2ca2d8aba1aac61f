import os
import sys

print(os.__file__ == sys.modules["os"].__file__, hasattr(os, "mark"))
