import warnings


def make():
    kept = begin()
    return lambda message, category, filename, lineno, file=None, line=None: kept.write(f"{message}\n")


warnings.showwarning = make()
warnings.warn("shown")
