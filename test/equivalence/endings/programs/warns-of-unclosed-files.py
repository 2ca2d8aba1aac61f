import json
import sys

file = open("out.txt", "w")
file.write("text\n")
json.kept = open("json.txt", "w")
sys.kept = open("sys.txt", "wb")


def use():
    return file
