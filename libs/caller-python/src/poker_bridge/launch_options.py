"""The rules of a game's launch options, which JSON Schema cannot say."""

from __future__ import annotations

import json
import re
from typing import Any, Final

_MAX_BYTES: Final = 8 * 1024
_MAX_DEPTH: Final = 512
_MAX_SAFE_INTEGER: Final = 2**53 - 1
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_WHOLE_NUMBER = re.compile(r"-?\d+", re.ASCII)

_NO_OBJECT = "must be an object, or a string that holds a JSON object"
_TOO_LARGE = "must be at most 8 KiB of JSON"
_TOO_DEEP = f"must not be nested deeper than {_MAX_DEPTH} levels"
_UNSAFE_NUMBER = "must hold no numbers but integers from -9007199254740991 to 9007199254740991"
_NUMBER_AS_NAME = "must hold no member whose name is a whole number"
_NOT_PRINTABLE = "must hold no control characters and no lone surrogates"
_NO_JSON = "must hold nothing but JSON"


def launch_options_fault(value: object) -> str | None:
    """What is wrong with launch options, an object or a string that holds one; None if nothing is."""
    if isinstance(value, str):
        if len(value.encode("utf-8", "replace")) > _MAX_BYTES:
            return _TOO_LARGE
        if _UNPRINTABLE.search(value):
            return _NOT_PRINTABLE
        value = _parsed(value)
    if not isinstance(value, dict):
        return _NO_OBJECT
    # Depth first: the size is taken by a recursive dump, which a deep value would break.
    fault = _fault_within(value)
    if fault is not None:
        return fault
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _TOO_LARGE if len(text.encode()) > _MAX_BYTES else None


def _parsed(text: str) -> object:
    try:
        return json.loads(text, parse_constant=_refused)
    except (ValueError, RecursionError):
        return None


def _refused(constant: str) -> None:
    raise ValueError(constant)


def _fault_within(root: dict[Any, Any]) -> str | None:
    open_values: list[tuple[object, int]] = [(root, 1)]
    while open_values:
        value, depth = open_values.pop()
        if isinstance(value, dict):
            for name in value:
                if not isinstance(name, str) or _WHOLE_NUMBER.fullmatch(name):
                    return _NUMBER_AS_NAME
                if _UNPRINTABLE.search(name):
                    return _NOT_PRINTABLE
            members = list(value.values())
        elif isinstance(value, list):
            members = value
        else:
            fault = _fault_in_scalar(value)
            if fault is not None:
                return fault
            continue
        if depth > _MAX_DEPTH:
            return _TOO_DEEP
        open_values.extend((member, depth + 1) for member in members)
    return None


def _fault_in_scalar(value: object) -> str | None:
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, str):
        return _NOT_PRINTABLE if _UNPRINTABLE.search(value) else None
    if isinstance(value, (int, float)):
        is_safe = abs(value) <= _MAX_SAFE_INTEGER and value == int(value)
        return None if is_safe else _UNSAFE_NUMBER
    return _NO_JSON
