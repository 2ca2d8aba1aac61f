import decimal
import fractions
import sys

print(decimal.getcontext().prec, fractions.Fraction("1/3"), sys.argv[0], __name__)
print([name for name in globals() if not name.startswith("__")])
