"""Runs the tests, and writes the names of passed tests to a file as JSON, separate from the output.

A thread that logs, or a warning of Python's own, may stand anywhere in what unittest prints.
"""

from __future__ import annotations

import faulthandler
import json
import sys
import unittest
from pathlib import Path

_LIMIT_S = 240
"""Less than the time limit of the spec, so that a hang ends with a dump of all thread stacks."""


class Result(unittest.TextTestResult):
    """Records the names of passed tests."""

    passed: list[str] = []

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        self.passed.append(test.id().rpartition(".")[2])


if __name__ == "__main__":
    [_, file] = sys.argv
    faulthandler.dump_traceback_later(_LIMIT_S, exit=True, file=sys.__stderr__)
    runner = unittest.TextTestRunner(resultclass=Result, verbosity=2, buffer=True)
    found = unittest.defaultTestLoader.discover(str(Path(__file__).parent))
    result = runner.run(found)
    with open(file, "w", encoding="utf-8") as passed:
        json.dump(Result.passed, passed)
    sys.exit(not result.wasSuccessful())
