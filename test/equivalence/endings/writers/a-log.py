import gzip
import io
import logging


def begin():
    stream = io.TextIOWrapper(gzip.GzipFile("log.gz", "wb", mtime=0))
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    logger = logging.Logger("own")
    logger.addHandler(handler)
    logger.warning("logged")
    return logger
