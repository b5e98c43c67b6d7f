"""What the contract asks of a command's data, checked before it is sent. No violation repeats a value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from importlib.resources import files
from typing import Any, Final

from .launch_options import launch_options_fault
from .messages import Violation

Schema = Mapping[str, Any]

_CONTRACT: Final = json.loads(files(__package__).joinpath("contract.json").read_text("utf-8"))
SCHEMA_VERSION: Final[int] = _CONTRACT["schemaVersion"]
COMMANDS: Final[Mapping[str, Mapping[str, Any]]] = _CONTRACT["commands"]
"""Each type of command with its lane, the types of its replies and the JSON Schema of its data."""

_MAX_VIOLATIONS_WITH_UNKNOWN = 32
_SURROGATES = re.compile("[\ud800-\udfff]")
_TEXT = "without control characters and lone surrogates"


def violations_of(command_type: str, data: object) -> list[Violation]:
    """Each fault of a command's data, unknown members included.

    Raises:
        ValueError: the type is none that this version knows
    """
    if command_type not in COMMANDS:
        raise ValueError(f"the types of commands are {', '.join(COMMANDS)}")
    schema = COMMANDS[command_type]["schema"]
    found = list(_violations(schema, schema.get("$defs", {}), data, ""))
    return found or list(_violations_of_period(data))


def _violations(schema: Schema, definitions: Schema, value: object, pointer: str) -> Iterator[Violation]:
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        if name == "LaunchOptions":
            yield from _violation(pointer, launch_options_fault(value))
            return
        schema = definitions[name]
    if schema["type"] == "object":
        yield from _violations_of_object(schema, definitions, value, pointer)
    else:
        yield from _violation(pointer, _fault(schema, value))


def _violations_of_object(
    schema: Schema, definitions: Schema, value: object, pointer: str
) -> Iterator[Violation]:
    if not isinstance(value, dict):
        yield Violation(pointer=pointer, message="must be an object")
        return
    members: Schema = schema["properties"]
    unknown = [str(name) for name in value if name not in members]
    for name in unknown[:_MAX_VIOLATIONS_WITH_UNKNOWN]:
        message = f"is not a member here; the members are {', '.join(members)}"
        yield Violation(pointer=f"{pointer}/{_in_pointer(name)}", message=message)
    for name, member in members.items():
        is_missing = name in schema["required"] and name not in value
        if is_missing or (name in value and value[name] is None):
            yield Violation(pointer=f"{pointer}/{name}", message="must be given, and not as null")
        elif name in value:
            yield from _violations(member, definitions, value[name], f"{pointer}/{name}")


def _violation(pointer: str, fault: str | None) -> Iterator[Violation]:
    if fault is not None:
        yield Violation(pointer=pointer, message=fault)


def _in_pointer(name: str) -> str:
    """Escaped as in RFC 6901, and shortened."""
    short = name if len(name) <= 100 else f"{name[:100]}…"
    return _SURROGATES.sub("\ufffd", short).replace("~", "~0").replace("/", "~1")


def _fault(schema: Schema, value: object) -> str | None:
    kind = schema["type"]
    if kind == "boolean":
        return None if isinstance(value, bool) else "must be true or false"
    if kind == "integer":
        least, most = schema["minimum"], schema["maximum"]
        # In Python a boolean is an integer.
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        return None if is_whole and least <= value <= most else f"must be an integer from {least} to {most}"
    return _fault_in_text(schema, value)


def _fault_in_text(schema: Schema, value: object) -> str | None:
    if "enum" in schema:
        wanted = " or ".join(schema["enum"])
        return None if isinstance(value, str) and value in schema["enum"] else f"must be {wanted}"
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    refused = schema.get("not", {}).get("enum", [])
    # Of ASCII, and to the very end: `$` would let a line end pass.
    pattern = re.compile(schema["pattern"].removesuffix("$") + r"\Z", re.ASCII)
    if (
        isinstance(value, str)
        and least <= len(value) <= (most or len(value))
        and value not in refused
        and pattern.match(value)
        and not _SURROGATES.search(value)
    ):
        return None
    if "title" in schema:
        return f"must be {schema['title']}"
    length = f"{least} to {most}" if least else f"at most {most}"
    others = f", and neither {' nor '.join(map(json.dumps, refused))}" if refused else ""
    return f"must be a string of {length} characters, {_TEXT}{others}"


def _violations_of_period(data: object) -> Iterator[Violation]:
    if not isinstance(data, dict) or "dateFrom" not in data or "dateTo" not in data:
        return
    moments = {name: _moment(data[name]) for name in ("dateFrom", "dateTo")}
    unreal = [name for name, moment in moments.items() if moment is None]
    for name in unreal:
        message = "must be a real date and time, written YYYY-MM-DD HH:MM:SS"
        yield Violation(pointer=f"/{name}", message=message)
    if not unreal and data["dateFrom"] >= data["dateTo"]:
        yield Violation(pointer="/dateTo", message="must be after dateFrom")


def _moment(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y-%m-%d %H:%M:%S")
    except ValueError:
        return None
