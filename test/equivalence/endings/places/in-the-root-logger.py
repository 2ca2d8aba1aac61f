import logging

handler = logging.Handler()
handler.kept = begin()
logging.root.addHandler(handler)
del handler
