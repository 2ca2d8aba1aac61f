import sys


def dive(depth):
    global deepest
    deepest = depth
    dive(depth + 1)


try:
    dive(1)
except RecursionError as error:
    print(error, sys.getrecursionlimit() - deepest < 20)
sys.setrecursionlimit(5000)
try:
    dive(1)
except RecursionError as error:
    print(error, sys.getrecursionlimit() - deepest < 20)
