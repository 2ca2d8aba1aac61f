import sys

print("decimal" in sys.modules, sorted(sys.modules))
import xml

try:
    print(xml.etree.ElementTree.fromstring("<a/>").tag)
except AttributeError as error:
    print(error)
import xml.etree.ElementTree

print(xml.etree.ElementTree.fromstring("<a/>").tag, sorted(sys.modules))
import decimal

print(decimal.Decimal("0.1") * 3, sorted(sys.modules))
