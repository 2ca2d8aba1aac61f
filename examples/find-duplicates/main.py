"""Finds files with the same content.

Files of different sizes cannot be equal, and most of equal size differ in their first bytes. So whole files are read only
when size and beginning are the same.
"""

import hashlib
import json
import os
import sys
from collections import defaultdict

BEGINNING_BYTES = 64 * 1024
PIECE_BYTES = 1024 * 1024


class BadInput(Exception):
    """An error that the caller can correct; its text becomes the message of the envelope."""


def main(data, params):
    folders = [os.path.expanduser(folder) for folder in data["folders"]]
    if not folders:
        raise BadInput("No folders were given. Send their absolute paths as data.folders.")
    for folder in folders:
        if not os.path.isabs(folder):
            raise BadInput("The path of a folder must be absolute: %s" % folder)
        if not os.path.isdir(folder):
            raise BadInput("There is no such folder: %s" % folder)

    unreadable = []
    by_size = defaultdict(list)
    for path, size in find_files(folders, params["hidden"], unreadable):
        if size >= params["min_bytes"]:
            by_size[size].append(path)

    groups = []
    for size, paths in by_size.items():
        for alike in split(paths, BEGINNING_BYTES, unreadable):
            same = split(alike, None, unreadable) if size > BEGINNING_BYTES else [alike]
            groups.extend({"bytes": size, "paths": sorted(group)} for group in same)
    groups.sort(key=lambda group: (-group["bytes"], group["paths"]))

    wasted = sum(group["bytes"] * (len(group["paths"]) - 1) for group in groups)
    message = "%d group(s) of equal files, %d bytes more than needed" % (len(groups), wasted)
    return {
        "code": 0,
        "msg": message if groups else "No two files are equal",
        "groups": groups,
        "wasted_bytes": wasted,
        "searched": sum(len(paths) for paths in by_size.values()),
        "unreadable": unreadable,
    }


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


if __name__ == "__main__":
    # The first argument is the parameter file: environment, data and params.
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    try:
        envelope = main(request["data"], request["params"])
    except BadInput as problem:
        envelope = {"code": 1, "msg": str(problem)}
    # Write the envelope in every case, because the caller reads the result here.
    with open(request["environment"]["output_json"], "w", encoding="utf-8") as file:
        json.dump(envelope, file)
    # File names may contain invalid text, and printing them must not fail.
    sys.stdout.reconfigure(errors="replace")
    print(envelope["msg"])
    sys.exit(0 if envelope["code"] == 0 else 1)
