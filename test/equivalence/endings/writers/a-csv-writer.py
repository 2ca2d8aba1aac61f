import csv


def begin():
    writer = csv.writer(open("out.csv", "w", newline=""))
    writer.writerow(["name", "amount"])
    writer.writerow(["paper, white", 12.5])
    return writer
