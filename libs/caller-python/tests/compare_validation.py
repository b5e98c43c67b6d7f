"""Compares what this library finds wrong with a command with what the worker finds: rows of type, data and pointers."""

import json
import sys
from pathlib import Path

from poker_bridge.validation import violations_of

rows = json.loads(Path(sys.argv[1]).read_text("utf-8"))
differences = 0
for command_type, data, expected in rows:
    violations = violations_of(command_type, data)
    found = sorted(violation["pointer"] for violation in violations)
    if found != expected:
        differences += 1
        print(command_type, json.dumps(data)[:300], "worker:", expected, "here:", found)
print(f"{differences} of {len(rows)} rows differ" if differences else f"{len(rows)} rows agree")
sys.exit(1 if differences else 0)
