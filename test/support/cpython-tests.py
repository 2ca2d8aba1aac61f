"""Runs one module, or parts of one, of CPython's own tests, and writes the outcome of each test to a file."""

import json
import os
import sys
import unittest

from test import support


class Outcomes(unittest.TestResult):
    """Keeps outcomes by test id. One id can have several outcomes, because several subtests of a test can fail."""

    def __init__(self):
        super().__init__()
        self.outcomes = {}
        self.tracebacks = {}

    def note(self, test, outcome, error=None):
        # A reason can contain the name of a temporary file, which contains the process id.
        self.outcomes.setdefault(test.id(), []).append(outcome.replace(f"_{os.getpid()}_", "_pid_"))
        if error is not None:
            self.tracebacks.setdefault(test.id(), []).append(self._exc_info_to_string(error, test))

    def addSuccess(self, test):
        self.note(test, "passed")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.note(test, "failed", err)

    def addError(self, test, err):
        super().addError(test, err)
        self.note(test, "error", err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.note(test, "subtest failed", err)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.note(test, "skipped: " + reason)

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.note(test, "expected failure")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.note(test, "unexpected success")


with open(sys.argv[1], encoding="utf-8") as file:
    params = json.load(file)["params"]
# Tests create and delete files with fixed names in the current folder and in the temporary folder.
os.chdir(params["folder"])
os.environ["TMPDIR"] = params["folder"]
# No network, no long computations, no files of gigabytes.
support.use_resources = ["subprocess"]
result = Outcomes()
unittest.defaultTestLoader.loadTestsFromNames(params["names"]).run(result)
with open(params["outcomes"], "w", encoding="utf-8") as file:
    json.dump({"outcomes": result.outcomes, "tracebacks": result.tracebacks}, file)
sys.exit(0 if result.wasSuccessful() else 1)
