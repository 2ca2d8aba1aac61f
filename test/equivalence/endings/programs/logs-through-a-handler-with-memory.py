import logging
import logging.handlers

target = logging.FileHandler("log.txt")
memory = logging.handlers.MemoryHandler(100, target=target)
logging.root.addHandler(memory)
logging.warning("kept in memory")
