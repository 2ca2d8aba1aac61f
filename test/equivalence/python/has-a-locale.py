import locale
import sys

print(locale.setlocale(locale.LC_ALL), locale.getlocale(), locale.localeconv()["decimal_point"])
print(locale.getpreferredencoding(False), sys.getfilesystemencoding())
print("%x" % 255, "{:n}".format(1234567))
print(locale.setlocale(locale.LC_ALL, ""))
