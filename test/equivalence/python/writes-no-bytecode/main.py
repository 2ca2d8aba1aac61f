import sys

import beside

print(sys.dont_write_bytecode, beside.__cached__)
