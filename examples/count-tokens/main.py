"""Counts the tokens of texts with the vocabulary of BERT, or estimates them if that model is not on this machine."""

import os
import re
import unicodedata

import hob

MODEL = "google-bert/bert-base-uncased"  # the repo_id in script.toml
LONGEST_WORD = 100  # BERT treats a longer word as one unknown token

CJK = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# BERT first splits a text into single Chinese characters, words, and single other signs.
PIECES = re.compile("[%s]|[^\\W_%s]+|[^\\w\\s]|_" % (CJK, CJK))


class Unavailable(Exception):
    """The model cannot be used; the text of the error becomes part of a message."""


def read_text(run, path):
    expanded = os.path.expanduser(path)
    if not os.path.isabs(expanded):
        run.fail("The path of a text must be absolute: %s" % path)
    try:
        with open(expanded, encoding="utf-8-sig") as file:
            return file.read()
    except FileNotFoundError:
        run.fail("There is no such file: %s" % path)
    except UnicodeDecodeError:
        run.fail("This file is not UTF-8 text: %s" % path)
    except OSError as problem:
        run.fail("This file cannot be read: %s (%s)" % (path, problem.strerror))
    except ValueError:
        run.fail("This is not a path: %s" % path)


def read_vocabulary(run):
    try:
        folder = run.model_path(MODEL)
    except hob.ModelError:
        raise Unavailable("the model %s is not downloaded" % MODEL)
    except hob.HobError as problem:
        raise Unavailable("the service could not be asked for the model (%s)" % problem)
    # The service returns a folder; the script chooses the file.
    path = os.path.join(folder, "vocab.txt")
    try:
        with open(path, encoding="utf-8") as file:
            return {line.rstrip("\n") for line in file}
    except (OSError, ValueError):
        raise Unavailable("the model has no usable vocab.txt in %s" % folder)


def count(text, vocabulary):
    text = "".join(sign for sign in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(sign) != "Mn")
    return sum(count_word(word, vocabulary) for word in PIECES.findall(text))


def count_word(word, vocabulary):
    """Splits the word into the longest known pieces, from left to right, and counts them; 1 if that is not possible."""
    if len(word) > LONGEST_WORD:
        return 1
    tokens, start = 0, 0
    while start < len(word):
        prefix = "" if start == 0 else "##"
        ends = range(len(word), start, -1)
        end = next((end for end in ends if prefix + word[start:end] in vocabulary), None)
        if end is None:
            return 1
        tokens, start = tokens + 1, end
    return tokens


def estimate(text):
    """Counts about one token per Chinese character, and one per four other characters."""
    chinese = len(re.findall("[%s]" % CJK, text))
    return chinese + (len(text) - chinese + 3) // 4


@hob.main
def main(run, files: list, exact: bool = False):
    if not files:
        run.fail("No files were given. Send their absolute paths as data.files.")
    texts = [(path, read_text(run, path)) for path in files]

    note = ""
    try:
        vocabulary = read_vocabulary(run)
    except Unavailable as reason:
        if exact:
            run.fail("The tokens cannot be counted: %s" % reason, code=2)
        # An estimate is better than no answer. The message says that it is an estimate.
        vocabulary, note = None, " (estimated: %s)" % reason

    counted = [
        {"path": path, "tokens": estimate(text) if vocabulary is None else count(text, vocabulary)}
        for path, text in texts
    ]
    total = sum(entry["tokens"] for entry in counted)
    message = "%d tokens in %d text(s)%s" % (total, len(counted), note)
    print(message)
    return {
        "msg": message,
        "files": counted,
        "total": total,
        "exact": vocabulary is not None,
    }
