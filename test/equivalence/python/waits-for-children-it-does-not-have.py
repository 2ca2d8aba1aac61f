import os

try:
    print(os.wait())
except ChildProcessError as error:
    print(error)
