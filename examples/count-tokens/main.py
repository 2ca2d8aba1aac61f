"""Counts the tokens of texts with the vocabulary of BERT, or estimates them if that model is not on this machine."""

import json
import os
import re
import sys
import unicodedata
import urllib.error
import urllib.parse
import urllib.request

MODEL = "google-bert/bert-base-uncased"  # the repo_id in script.toml
LONGEST_WORD = 100  # BERT treats a longer word as one unknown token

CJK = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# BERT first splits a text into single Chinese characters, words, and single other signs.
PIECES = re.compile("[%s]|[^\\W_%s]+|[^\\w\\s]|_" % (CJK, CJK))


class BadInput(Exception):
    """An error that the caller can correct; its text becomes the message of the envelope."""


class Unavailable(Exception):
    """The model cannot be used; the text of the error becomes part of a message."""


def main(environment, data, params):
    if not data["files"]:
        raise BadInput("No files were given. Send their absolute paths as data.files.")
    texts = [(path, read_text(path)) for path in data["files"]]

    note = ""
    try:
        vocabulary = read_vocabulary(find_model(environment["api_base"]))
    except Unavailable as reason:
        if params["exact"]:
            return {"code": 2, "msg": "The tokens cannot be counted: %s" % reason}
        # An estimate is better than no answer. The message says that it is an estimate.
        vocabulary, note = None, " (estimated: %s)" % reason

    files = [
        {"path": path, "tokens": estimate(text) if vocabulary is None else count(text, vocabulary)}
        for path, text in texts
    ]
    total = sum(entry["tokens"] for entry in files)
    return {
        "code": 0,
        "msg": "%d tokens in %d text(s)%s" % (total, len(files), note),
        "files": files,
        "total": total,
        "exact": vocabulary is not None,
    }


def read_text(path):
    expanded = os.path.expanduser(path)
    if not os.path.isabs(expanded):
        raise BadInput("The path of a text must be absolute: %s" % path)
    try:
        with open(expanded, encoding="utf-8-sig") as file:
            return file.read()
    except FileNotFoundError:
        raise BadInput("There is no such file: %s" % path)
    except UnicodeDecodeError:
        raise BadInput("This file is not UTF-8 text: %s" % path)
    except OSError as problem:
        raise BadInput("This file cannot be read: %s (%s)" % (path, problem.strerror))
    except ValueError:
        raise BadInput("This is not a path: %s" % path)


def find_model(api_base):
    """Asks the service for the folder of the downloaded model."""
    # Append to api_base without changing it: its path identifies the run.
    url = api_base + "/api/model/path?repo_id=" + urllib.parse.quote(MODEL, safe="")
    # The service is on this machine, so ignore proxies in the environment.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=30) as response:
            return json.load(response)["data"]["path"]
    except urllib.error.HTTPError as problem:
        if problem.code == 404:
            raise Unavailable("the model %s is not downloaded" % MODEL)
        raise Unavailable("the service answered %d when asked for the model" % problem.code)
    except (OSError, ValueError, KeyError) as problem:
        raise Unavailable("the service could not be asked for the model (%s)" % problem)


def read_vocabulary(folder):
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


if __name__ == "__main__":
    # The first argument is the parameter file: environment, data and params.
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    try:
        envelope = main(request["environment"], request["data"], request["params"])
    except BadInput as problem:
        envelope = {"code": 1, "msg": str(problem)}
    # Write the envelope in every case, because the caller reads the result here.
    with open(request["environment"]["output_json"], "w", encoding="utf-8") as file:
        json.dump(envelope, file)
    # File names may contain invalid text, and printing them must not fail.
    sys.stdout.reconfigure(errors="replace")
    print(envelope["msg"])
    sys.exit(0 if envelope["code"] == 0 else 1)
