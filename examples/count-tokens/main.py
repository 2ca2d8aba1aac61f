"""Counts the tokens of texts with the vocabulary of BERT, or estimates them when that model is not on this machine."""

import json
import os
import re
import sys
import unicodedata
import urllib.error
import urllib.parse
import urllib.request

MODEL = "google-bert/bert-base-uncased"  # the repo_id in script.toml
LONGEST_WORD = 100  # BERT takes anything longer for one unknown token

CJK = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# What BERT splits a text into first: Chinese characters one by one, words, and every other sign by itself.
PIECES = re.compile("[%s]|[^\\W_%s]+|[^\\w\\s]|_" % (CJK, CJK))


class BadInput(Exception):
    """Something the caller can put right; its text becomes the message of the envelope."""


class Unavailable(Exception):
    """Why the model cannot be used; its text becomes part of a message."""


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
        # A rough answer now is worth more than none; the caller is told that it is rough.
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
    """The folder of the downloaded model, by asking the service for it."""
    # Append to api_base as it is: its path says which run is calling.
    url = api_base + "/api/model/path?repo_id=" + urllib.parse.quote(MODEL, safe="")
    # The service is on this machine: a proxy that the environment may name has no part in this.
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
    # The answer is a folder; which file in it to read is the script's business.
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
    """Takes the longest known beginning off the word until nothing is left; 1 for a word that cannot be made of such."""
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
    """About one token for a Chinese character, and one for four characters of anything else."""
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
    # Whatever happened, the caller reads it here.
    with open(request["environment"]["output_json"], "w", encoding="utf-8") as file:
        json.dump(envelope, file)
    # A file name need not be valid text, and printing it must not fail.
    sys.stdout.reconfigure(errors="replace")
    print(envelope["msg"])
    sys.exit(0 if envelope["code"] == 0 else 1)
