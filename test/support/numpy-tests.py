"""Runs modules of numpy's own tests, and writes the outcome of each test to a file."""

import json
import os
import sys

import numpy
import pytest


class Outcomes:
    """Keeps outcomes by test id."""

    def __init__(self):
        self.outcomes = {}
        self.tracebacks = {}

    def pytest_runtest_logreport(self, report):
        if report.when != "call" and report.passed:
            return
        outcome = report.outcome if report.when == "call" else f"{report.when} {report.outcome}"
        self.outcomes.setdefault(report.nodeid, []).append(outcome)
        if report.failed:
            self.tracebacks.setdefault(report.nodeid, []).append(report.longreprtext)


with open(sys.argv[1], encoding="utf-8") as file:
    params = json.load(file)["params"]
# Tests create files in the current folder and in the temporary folder.
os.chdir(params["folder"])
os.environ["TMPDIR"] = params["folder"]
# Generated examples differ between two runs, also between two cold ones.
os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = params["folder"]
result = Outcomes()
options = ["-q", "-p", "no:cacheprovider", "-m", "not slow", "--hypothesis-seed=1", "-c", os.devnull, "--rootdir", params["folder"]]
code = pytest.main([*options, "--pyargs", *params["names"]], plugins=[result])
with open(params["outcomes"], "w", encoding="utf-8") as file:
    json.dump({"outcomes": result.outcomes, "tracebacks": result.tracebacks}, file)
sys.exit(code)
