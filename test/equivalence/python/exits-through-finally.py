import sys

try:
    try:
        sys.exit(5)
    finally:
        print("inner")
except SystemExit as error:
    print("caught", error.code)
    raise
finally:
    print("outer")
