import doctest
import io
import unittest


def double(value):
    """
    >>> double(2)
    4
    >>> double(3)
    7
    """
    return value * 2


class Doubling(unittest.TestCase):
    def test_doubles(self):
        self.assertEqual(double(2), 4)

    def test_fails(self):
        self.assertEqual(double(2), 5)


print(doctest.testmod())
program = unittest.main(exit=False, testRunner=unittest.TextTestRunner(io.StringIO()))
print(program.result)
raise SystemExit(not program.result.wasSuccessful())
