"""Counts the lines, words and characters of text files."""

import os
import re
from collections import Counter

import hob

# Each Chinese or Japanese character counts as a word. Other words are sequences of letters and digits.
CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
WORD = re.compile("[%s]|[^\\W_%s]+(?:['\u2019-][^\\W_%s]+)*" % (CJK, CJK, CJK))


class Uncountable(Exception):
    """The reason why one file is skipped."""


def read_text(path):
    """The text of a file and its size in bytes. Tries the common encodings."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        raise Uncountable("there is no such file (paths must be absolute)")
    except OSError as problem:
        raise Uncountable("it cannot be read: %s" % problem.strerror)
    except ValueError:
        raise Uncountable("this is not a path")
    if b"\0" in content:
        raise Uncountable("it is not a text file")
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


@hob.main
def main(run, files: list, top_words: int = 5, min_letters: int = 4):
    if not files:
        run.fail("No files were given. Send their absolute paths as data.files.")
    if top_words < 0 or min_letters < 1:
        run.fail("top_words must be 0 or more, and min_letters 1 or more.")

    counted, skipped, frequencies = [], [], Counter()
    for path in files:
        try:
            text, size = read_text(os.path.expanduser(path))
        except Uncountable as problem:
            skipped.append({"path": path, "reason": str(problem)})
            continue
        words = WORD.findall(text)
        frequencies.update(word.lower() for word in words if len(word) >= min_letters)
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
        run.fail("None of the files could be counted. " + reasons, skipped=skipped)

    total = {key: sum(entry[key] for entry in counted) for key in ("lines", "words", "characters", "bytes")}
    message = "%d words in %d file(s)" % (total["words"], len(counted))
    if skipped:
        message += ", %d skipped" % len(skipped)
    print(message)
    return {
        "msg": message,
        "files": counted,
        "total": total,
        "top_words": [
            {"word": word, "count": count} for word, count in frequencies.most_common(top_words)
        ],
        "skipped": skipped,
    }
