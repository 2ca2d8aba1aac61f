"""Counts the lines, words and characters of text files."""

import json
import os
import re
import sys
from collections import Counter

# Each Chinese or Japanese character counts as a word. Other words are sequences of letters and digits.
CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
WORD = re.compile("[%s]|[^\\W_%s]+(?:['\u2019-][^\\W_%s]+)*" % (CJK, CJK, CJK))


class BadInput(Exception):
    """An error that the caller can correct; its text becomes the message of the envelope."""


def main(data, params):
    paths = data["files"]
    if not paths:
        raise BadInput("No files were given. Send their absolute paths as data.files.")
    if params["top_words"] < 0 or params["min_letters"] < 1:
        raise BadInput("top_words must be 0 or more, and min_letters 1 or more.")

    counted, skipped, frequencies = [], [], Counter()
    for path in paths:
        try:
            text, size = read_text(os.path.expanduser(path))
        except BadInput as problem:
            skipped.append({"path": path, "reason": str(problem)})
            continue
        words = WORD.findall(text)
        frequencies.update(word.lower() for word in words if len(word) >= params["min_letters"])
        counted.append(
            {
                "path": path,
                "title": title_of(text),
                "lines": len(text.splitlines()),
                "words": len(words),
                "characters": len(text),
                "bytes": size,
            }
        )
    if not counted:
        reasons = "; ".join("%s: %s" % (entry["path"], entry["reason"]) for entry in skipped)
        return {"code": 1, "msg": "None of the files could be counted. " + reasons, "skipped": skipped}

    total = {key: sum(entry[key] for entry in counted) for key in ("lines", "words", "characters", "bytes")}
    message = "%d words in %d file(s)" % (total["words"], len(counted))
    if skipped:
        message += ", %d skipped" % len(skipped)
    return {
        "code": 0,
        "msg": message,
        "files": counted,
        "total": total,
        "top_words": [
            {"word": word, "count": count} for word, count in frequencies.most_common(params["top_words"])
        ],
        "skipped": skipped,
    }


def read_text(path):
    """The text of a file and its size in bytes. Tries the common encodings."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        raise BadInput("there is no such file (paths must be absolute)")
    except OSError as problem:
        raise BadInput("it cannot be read: %s" % problem.strerror)
    except ValueError:
        raise BadInput("this is not a path")
    if b"\0" in content:
        raise BadInput("it is not a text file")
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return content.decode(encoding), len(content)
        except UnicodeDecodeError:
            continue
    # In Latin-1 every byte is a character, so this never fails.
    return content.decode("latin-1"), len(content)


def title_of(text):
    """The first line that is not empty, without the marks of a Markdown heading."""
    for line in text.splitlines():
        title = line.strip().lstrip("#").strip()
        if title:
            return title[:120]
    return ""


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
