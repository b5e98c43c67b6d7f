"""A command as it is published."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Final, NotRequired, TypedDict

from .errors import CallerError
from .messages import Violation
from .validation import SCHEMA_VERSION, violations_of

_MAX_ID_BYTES: Final = 200
_LONGEST_DEADLINE_MS: Final = 1_200_000


class CommandProperties(TypedDict):
    """The AMQP properties of a command."""

    type: str
    messageId: str
    correlationId: str
    replyTo: str
    contentType: str
    deliveryMode: int
    """2: persistent."""
    appId: str
    userId: NotRequired[str]
    """The broker user, if it is to be named."""
    headers: dict[str, str | int]


class PreparedCommand(TypedDict):
    """A command that is ready to be published: plain data that JSON holds, for an outbox, the same as in Node.js."""

    id: str
    """Its replies carry it as `command_id`."""
    exchange: str
    routingKey: str
    properties: CommandProperties
    body: str
    """JSON."""


@dataclass(frozen=True)
class Sender:
    """What all commands of one caller have in common."""

    prefix: str
    app_id: str
    operator: str | None
    user_id: str | None
    trace_context: Callable[[], Mapping[str, str]] | None
    """Gives `traceparent` and `tracestate`."""


def prepare_command(
    sender: Sender,
    reply_to: str,
    command_type: str,
    data: Mapping[str, Any],
    command_id: str | None,
    operator: str | None,
    deadline_ms: float | None,
) -> PreparedCommand:
    """Validates a command and gives it as it is to be published.

    Raises:
        CallerError: `VALIDATION_FAILED` with a violation for each fault
        ValueError: the deadline is not between 1 ms and 20 minutes, or there is no such type
    """
    chosen_id = str(uuid.uuid4()) if command_id is None else command_id
    _validate(command_type, data, chosen_id)
    headers: dict[str, str | int] = {"schema-version": SCHEMA_VERSION}
    chosen_operator = operator or sender.operator
    if chosen_operator is not None:
        headers["operator"] = chosen_operator
    if deadline_ms is not None:
        headers["x-deadline"] = _deadline(deadline_ms)
    if sender.trace_context is not None:
        trace = sender.trace_context()
        headers.update({name: trace[name] for name in ("traceparent", "tracestate") if name in trace})
    properties = CommandProperties(
        type=command_type,
        messageId=chosen_id,
        correlationId=chosen_id,
        replyTo=reply_to,
        contentType="application/json",
        deliveryMode=2,
        appId=sender.app_id,
        headers=headers,
    )
    if sender.user_id is not None:
        properties["userId"] = sender.user_id
    return PreparedCommand(
        id=chosen_id,
        exchange=f"{sender.prefix}.commands",
        routingKey=command_type,
        properties=properties,
        body=json.dumps(data, ensure_ascii=False, separators=(",", ":")),
    )


def _validate(command_type: str, data: object, command_id: str) -> None:
    violations = violations_of(command_type, data)
    if not 0 < len(command_id.encode("utf-8", "replace")) <= _MAX_ID_BYTES:
        violations.append(Violation(pointer="/properties/message_id", message="must have 1 to 200 bytes"))
    if violations:
        raise CallerError.of_invalid(violations, command_id)


def _deadline(deadline_ms: float) -> str:
    if not 1 <= deadline_ms <= _LONGEST_DEADLINE_MS:
        raise ValueError(f"deadline_ms must be between 1 and {_LONGEST_DEADLINE_MS}")
    moment = datetime.now(timezone.utc) + timedelta(milliseconds=deadline_ms)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
