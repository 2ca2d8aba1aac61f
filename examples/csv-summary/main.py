"""Describes each column of a CSV file."""

import csv
import math
import os
from collections import Counter

import hob

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t"}
# Limits the memory for a column with very many different texts.
MAX_DISTINCT = 10000


class Column:
    """Collects the values of one column."""

    def __init__(self, name):
        self.name = name
        self.filled = self.empty = self.numbers = 0
        self.sum = 0.0
        self.min, self.max = math.inf, -math.inf
        self.values = Counter()

    def add(self, cell):
        cell = cell.strip()
        if not cell:
            self.empty += 1
            return
        self.filled += 1
        if cell in self.values or len(self.values) < MAX_DISTINCT:
            self.values[cell] += 1
        number = to_number(cell)
        if number is not None:
            self.numbers += 1
            self.sum += number
            self.min, self.max = min(self.min, number), max(self.max, number)

    def summary(self):
        summary = {"name": self.name, "kind": self.kind(), "filled": self.filled, "empty": self.empty}
        if summary["kind"] == "number":
            mean = round(self.sum / self.numbers, 6)
            summary.update({"min": self.min, "max": self.max, "mean": mean, "sum": round(self.sum, 6)})
        elif summary["kind"] == "text":
            top = self.values.most_common(3)
            summary["distinct"] = len(self.values)
            summary["most_frequent"] = [{"value": value[:100], "count": count} for value, count in top]
        return summary

    def kind(self):
        if self.filled == 0:
            return "empty"
        return "number" if self.numbers == self.filled else "text"


def find_file(run, values):
    # The main input is always a list of values, also for an input of the type str.
    if len(values) != 1:
        run.fail("Send the absolute path of one file as data.file.")
    path = os.path.expanduser(values[0])
    if not os.path.isabs(path):
        run.fail("The path of the file must be absolute: %s" % path)
    if not os.path.isfile(path):
        run.fail("There is no such file: %s" % path)
    return path


def find_delimiter(line):
    return max(DELIMITERS.values(), key=line.count)


def summarize(run, reader, header, column_prefix):
    rows = (row for row in reader if row)
    columns, count, uneven = [], 0, 0
    if header:
        columns = [Column(name.strip() or "column %d" % number) for number, name in enumerate(next(rows, []), 1)]
    for row in rows:
        count += 1
        if not columns:
            columns = [Column("%s%d" % (column_prefix, number)) for number in range(1, len(row) + 1)]
        uneven += len(row) != len(columns)
        for column, cell in zip(columns, row):
            column.add(cell)
    if not columns:
        run.fail("The file is empty.")
    message = "%d row(s) in %d column(s)" % (count, len(columns))
    if uneven:
        message += "; %d row(s) have more or fewer cells" % uneven
    print(message)
    return {
        "msg": message,
        "rows": count,
        "uneven_rows": uneven,
        "columns": [column.summary() for column in columns],
    }


def to_number(cell):
    try:
        number = float(cell)
    except ValueError:
        return None
    # Treat "nan" and "inf" as texts: JSON has no such numbers.
    return number if math.isfinite(number) else None


@hob.main
def main(run, file: list, delimiter: str = "auto", header: bool = True, column_prefix: str = "column "):
    path = find_file(run, file)
    try:
        # `newline=""` keeps line breaks in quoted cells for the csv module, and utf-8-sig removes the mark that Excel writes first.
        with open(path, encoding="utf-8-sig", newline="") as lines:
            first_line = lines.readline()
            if "\0" in first_line:
                run.fail("This is not a text file: %s" % path)
            lines.seek(0)
            sign = DELIMITERS.get(delimiter) or find_delimiter(first_line)
            return summarize(run, csv.reader(lines, delimiter=sign), header, column_prefix)
    except UnicodeDecodeError:
        run.fail("The file is not UTF-8 text. Save it as UTF-8 and try again.")
    except csv.Error as problem:
        run.fail("The file cannot be read as CSV: %s" % problem)
    except OSError as problem:
        run.fail("The file cannot be read: %s" % problem.strerror)
