import logging

logging.basicConfig(filename="log.txt", format="%(levelname)s %(message)s")


class Thing:
    def __del__(self):
        logging.warning("gone")


thing = Thing()
logging.warning("made")
