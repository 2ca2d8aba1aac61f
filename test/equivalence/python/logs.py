import logging

print(logging.root, logging.root.handlers, logging.lastResort)
logging.warning("through the root")
logging.getLogger("own").error("of a logger")
logging.basicConfig(level=logging.DEBUG, format="%(levelname)s %(module)s %(filename)s %(lineno)d %(processName)s %(threadName)s %(message)s", force=True)
logging.info("told where")
try:
    1 / 0
except ZeroDivisionError:
    logging.exception("with a traceback")
print(logging.captureWarnings(True))
