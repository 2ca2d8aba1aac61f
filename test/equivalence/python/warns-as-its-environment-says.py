import sys
import warnings

print(sys.warnoptions)
warnings.warn("an error", DeprecationWarning)
