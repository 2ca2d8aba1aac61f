import argparse

argparse.ArgumentParser.kept = begin()
