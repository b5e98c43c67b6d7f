"""Runs the tests; the names of those that passed go to a file as JSON, apart from all that is printed.

A thread that logs, or a warning of Python's own, may stand anywhere in what unittest prints.
"""

from __future__ import annotations

import faulthandler
import json
import sys
import unittest
from pathlib import Path

_LIMIT_S = 240
"""Less than the time limit of the spec that runs this: a hang then ends with the stack of every thread."""


class Result(unittest.TextTestResult):
    """Keeps the names of the tests that passed."""

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
