import csv
import json

json.dump({"a": [1, 2]}, open("data.json", "w"))
open("text.txt", "w").write("text\n")
csv.writer(open("table.csv", "w", newline="")).writerows([[1, 2], [3, 4]])
out = open("more.txt", "a", buffering=1 << 20)
print("more", file=out)
line = open("lines.txt", "w", buffering=1)
line.write("a line\nhalf a line")
