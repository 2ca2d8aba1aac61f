"""Calculates the slots of cron expressions by walking through time, independently of Hob.

Reads {"cases": [{"cron", "zone", "from", "to"}]} from stdin; times are minutes since 1970. Writes the slots of each case in
minutes, or null for a zone that this machine lacks. Offsets from UTC come from zoneinfo and change at multiples of 15 minutes.
"""

import json
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

QUARTER = 15
EPOCH = datetime(1970, 1, 1)
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
DAYS = "sun mon tue wed thu fri sat".split()


def values(text, low, high, names=()):
    found = set()
    for part in text.lower().split(","):
        part, _, step = part.partition("/")
        if part == "*":
            first, last = low, high
        else:
            ends = [names.index(end) + low if end in names else int(end) for end in part.split("-")]
            first, last = ends[0], ends[-1]
        found.update(range(first, last + 1, int(step or 1)))
    return found


class Expression:
    def __init__(self, text):
        minute, hour, day, month, weekday = text.split()
        self.minutes = values(minute, 0, 59)
        self.hours = values(hour, 0, 23)
        self.days = values(day, 1, 31)
        self.months = values(month, 1, 12, MONTHS)
        self.weekdays = {value % 7 for value in values(weekday, 0, 6, DAYS)}
        self.both = day[0] == "*" or weekday[0] == "*"
        self.every_hour = len(self.hours) == 24
        self.dates = {}
        # The matching minutes of each quarter of an hour of a day.
        self.quarters = {
            hour * 60 + first: [minute for minute in sorted(self.minutes) if first <= minute < first + QUARTER]
            for hour in self.hours
            for first in range(0, 60, QUARTER)
        }

    def on(self, day):
        """Whether it fires on a day, counted since 1970."""
        known = self.dates.get(day)
        if known is None:
            date = EPOCH + timedelta(days=day)
            is_date = date.day in self.days
            is_weekday = date.isoweekday() % 7 in self.weekdays
            fits = (is_date and is_weekday) if self.both else (is_date or is_weekday)
            known = self.dates[day] = date.month in self.months and fits
        return known

    def at(self, local):
        """Whether it fires at a local time, in minutes since 1970."""
        hour, minute = divmod(local % 1440, 60)
        return hour in self.hours and minute in self.minutes and self.on(local // 1440)


def offsets(zone, begin, end):
    """The offset of each quarter of an hour from the one before `begin`. No zone changes its offset twice in three hours."""
    info = ZoneInfo(zone)

    def offset(at):
        moment = datetime.fromtimestamp(at * 60, timezone.utc).astimezone(info)
        return int(moment.utcoffset().total_seconds()) // 60

    found = []
    for block in range(begin - QUARTER, end, 12 * QUARTER):
        first, last = offset(block), offset(block + 11 * QUARTER)
        if first == last:
            found += [first] * 12
        else:
            found += [offset(block + index * QUARTER) for index in range(12)]
    return found


def slots(expression, known, begin, end):
    found = []
    shown = None
    before = known[0]
    for index, at in enumerate(range(begin, end, QUARTER)):
        offset = known[index + 1]
        start = at + offset
        is_moved = False
        if not expression.every_hour:
            if offset > before:
                is_moved = any(expression.at(local) for local in range(at + before, start))
            if offset < before:
                shown = at + before
        before = offset
        if is_moved:
            found.append(at)
        for minute in expression.quarters.get(start % 1440, ()) if expression.on(start // 1440) else ():
            local = start - start % 60 + minute
            is_repeated = shown is not None and local < shown
            if not is_repeated and not (is_moved and local == start):
                found.append(at + local - start)
    return found


def main():
    known = {}
    answers = []
    for case in json.load(sys.stdin)["cases"]:
        begin, end = case["from"], case["to"]
        name = (case["zone"], begin, end)
        try:
            if name not in known:
                known[name] = offsets(*name)
        except KeyError:
            answers.append(None)
            continue
        answers.append(slots(Expression(case["cron"]), known[name], begin, end))
    json.dump(answers, sys.stdout)


main()
