import warnings

import old

warnings.warn("in main", DeprecationWarning)
warnings.warn("of the user")
warnings.warn("of the user")
warnings.warn("of a resource", ResourceWarning)
for _ in range(3):
    warnings.warn("three times", FutureWarning)
old.call()
print(warnings.filters)
