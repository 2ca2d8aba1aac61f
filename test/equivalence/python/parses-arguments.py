import argparse

parser = argparse.ArgumentParser(description="Takes two files")
parser.add_argument("parameters")
parser.add_argument("second")
parser.parse_args()
