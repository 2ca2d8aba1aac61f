import sys

for number in range(50):
    print("out", number)
    print("err", number, file=sys.stderr)
    sys.stdout.write("part ")
