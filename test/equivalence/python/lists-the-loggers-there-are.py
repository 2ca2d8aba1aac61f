import logging

print(sorted(logging.Logger.manager.loggerDict))
