"""Finds files with the same content.

Files of different sizes cannot be equal, and most of equal size differ in their first bytes. So whole files are read only
when size and beginning are the same.
"""

import hashlib
import os
from collections import defaultdict

import hob

BEGINNING_BYTES = 64 * 1024
PIECE_BYTES = 1024 * 1024


def find_files(folders, hidden, unreadable):
    """Every file below the folders with its size. A file with several names (hard links) is listed once."""
    seen = set()
    for folder in folders:
        # Symbolic links are not followed, so there are no endless loops.
        for parent, subfolders, names in os.walk(folder, onerror=lambda error: unreadable.append(error.filename)):
            if not hidden:
                subfolders[:] = [name for name in subfolders if not name.startswith(".")]
                names = [name for name in names if not name.startswith(".")]
            for name in names:
                path = os.path.join(parent, name)
                if os.path.islink(path) or not os.path.isfile(path):
                    continue
                try:
                    stats = os.stat(path)
                except OSError:
                    unreadable.append(path)
                    continue
                if (stats.st_dev, stats.st_ino) not in seen:
                    seen.add((stats.st_dev, stats.st_ino))
                    yield path, stats.st_size


def split(paths, limit, unreadable):
    """The groups of two or more files whose content is the same, up to `limit` bytes."""
    if len(paths) < 2:
        return []
    by_content = defaultdict(list)
    for path in paths:
        try:
            by_content[digest(path, limit)].append(path)
        except OSError:
            unreadable.append(path)
    return [group for group in by_content.values() if len(group) > 1]


def digest(path, limit):
    checksum = hashlib.sha256()
    with open(path, "rb") as file:
        if limit is not None:
            checksum.update(file.read(limit))
        else:
            for piece in iter(lambda: file.read(PIECE_BYTES), b""):
                checksum.update(piece)
    return checksum.digest()


@hob.main
def main(run, folders: list, min_bytes: int = 1, hidden: bool = False):
    folders = [os.path.expanduser(folder) for folder in folders]
    if not folders:
        run.fail("No folders were given. Send their absolute paths as data.folders.")
    for folder in folders:
        if not os.path.isabs(folder):
            run.fail("The path of a folder must be absolute: %s" % folder)
        if not os.path.isdir(folder):
            run.fail("There is no such folder: %s" % folder)

    unreadable = []
    by_size = defaultdict(list)
    for path, size in find_files(folders, hidden, unreadable):
        if size >= min_bytes:
            by_size[size].append(path)

    groups = []
    for size, paths in by_size.items():
        for alike in split(paths, BEGINNING_BYTES, unreadable):
            same = split(alike, None, unreadable) if size > BEGINNING_BYTES else [alike]
            groups.extend({"bytes": size, "paths": sorted(group)} for group in same)
    groups.sort(key=lambda group: (-group["bytes"], group["paths"]))

    wasted = sum(group["bytes"] * (len(group["paths"]) - 1) for group in groups)
    message = "No two files are equal"
    if groups:
        message = "%d group(s) of equal files, %d bytes more than needed" % (len(groups), wasted)
    print(message)
    return {
        "msg": message,
        "groups": groups,
        "wasted_bytes": wasted,
        "searched": sum(len(paths) for paths in by_size.values()),
        "unreadable": unreadable,
    }
