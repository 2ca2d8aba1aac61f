"""Names photos after the time they were taken."""

import os
import struct
from datetime import datetime

import hob

EXTENSIONS = (".jpg", ".jpeg", ".png", ".heic")

# Numbers of the EXIF tags that this script reads.
TAG_EXIF_TABLE = 0x8769
TAG_DATE_TAKEN = 0x9003

ALREADY_NAMED = "it has this name already"


class Skipped(Exception):
    """The reason why one photo keeps its name."""


def check_pattern(run, pattern):
    try:
        name = datetime(2001, 2, 3, 4, 5, 6).strftime(pattern)
    except ValueError:
        run.fail("pattern is not valid: %s" % pattern)
    if not name.strip() or any(character in name for character in '/\\:*?"<>|\0'):
        run.fail("pattern must give a file name without / \\ : * ? \" < > |, but it gives: %s" % name)


def find_photo(photo):
    path = os.path.expanduser(photo)
    if not os.path.isabs(path):
        raise Skipped("the path is not absolute")
    if not os.path.isfile(path):
        raise Skipped("there is no such file")
    if os.path.splitext(path)[1].lower() not in EXTENSIONS:
        raise Skipped("it is not a photo (%s)" % ", ".join(EXTENSIONS))
    return path


def moment_of(path, undated):
    try:
        with open(path, "rb") as file:
            moment = exif_date(file.read(256 * 1024))
        if moment is not None:
            return moment, "exif"
        if undated == "skip":
            raise Skipped("it carries no date")
        return datetime.fromtimestamp(os.path.getmtime(path)), "file-time"
    except OSError as problem:
        raise Skipped("it cannot be read: %s" % problem.strerror)


def exif_date(content):
    """The date in the EXIF part of a JPEG file; None if it is missing or invalid."""
    try:
        position = 2 if content[:2] == b"\xff\xd8" else len(content)
        # A JPEG file begins with segments, each with its length; the pixels follow.
        while position + 4 <= len(content) and content[position] == 0xFF:
            marker, length = struct.unpack(">HH", content[position : position + 4])
            segment = content[position + 4 : position + 2 + length]
            if marker == 0xFFE1 and segment[:6] == b"Exif\0\0":
                return date_in_tiff(segment[6:])
            position += 2 + length
    except (struct.error, ValueError, IndexError):
        pass
    return None


def date_in_tiff(tiff):
    order = "<" if tiff[:2] == b"II" else ">"
    first_table = struct.unpack(order + "I", tiff[4:8])[0]
    exif_table = entry_in(tiff, order, first_table, TAG_EXIF_TABLE)
    start = entry_in(tiff, order, exif_table, TAG_DATE_TAKEN) if exif_table is not None else None
    if start is None:
        return None
    return datetime.strptime(tiff[start : start + 19].decode("ascii"), "%Y:%m:%d %H:%M:%S")


def entry_in(tiff, order, table, wanted):
    """The value of an entry. For the two tags that this script reads, it is an offset in the data."""
    count = struct.unpack(order + "H", tiff[table : table + 2])[0]
    for index in range(count):
        start = table + 2 + 12 * index
        tag, _type, _count, value = struct.unpack(order + "HHII", tiff[start : start + 12])
        if tag == wanted:
            return value
    return None


def free_name(path, stem, taken):
    """The new path, with a number if two photos were taken in the same second."""
    folder, extension = os.path.dirname(path), os.path.splitext(path)[1].lower()
    number = 1
    while True:
        suffix = "" if number == 1 else "-%d" % number
        target = os.path.join(folder, stem + suffix + extension)
        if target == path:
            raise Skipped(ALREADY_NAMED)
        if target not in taken and not os.path.lexists(target):
            return target
        number += 1


def rename(path, target):
    try:
        os.rename(path, target)
    except OSError as problem:
        raise Skipped("it cannot be renamed: %s" % problem.strerror)


@hob.main
def main(run, photos: list, dry_run: bool = True, pattern: str = "%Y-%m-%d_%H.%M.%S", undated: str = "file-time"):
    if not photos:
        run.fail("No photos were given. Send their absolute paths as data.photos.")
    check_pattern(run, pattern)

    renamed, skipped, taken = [], [], set()
    for photo in photos:
        try:
            path = find_photo(photo)
            moment, source = moment_of(path, undated)
            target = free_name(path, moment.strftime(pattern), taken)
            if not dry_run:
                rename(path, target)
        except Skipped as reason:
            skipped.append({"path": photo, "reason": str(reason)})
            continue
        # In a dry run the new names are not on the disk, so they are kept here.
        taken.add(target)
        renamed.append({"from": path, "to": target, "date_from": source})

    refused = [entry for entry in skipped if entry["reason"] != ALREADY_NAMED]
    if len(refused) == len(photos):
        reasons = "; ".join("%s: %s" % (entry["path"], entry["reason"]) for entry in refused)
        run.fail("None of the photos can be renamed. " + reasons)
    verb = "would be renamed (dry run)" if dry_run else "renamed"
    message = "%d photo(s) %s, %d skipped" % (len(renamed), verb, len(skipped))
    print(message)
    return {"msg": message, "dry_run": dry_run, "renamed": renamed, "skipped": skipped}
