"""Commands in the form in which they are published."""

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Final, TypedDict

from .errors import CallerError

_SCHEMA_VERSION: Final = 1
_MAX_ID_BYTES: Final = 200
_LONGEST_DEADLINE_MS: Final = 1_200_000


class CommandOptions(TypedDict, total=False):
    """The options of a command."""

    command_id: str | None  # At most 200 bytes; commands with the same id are the same command. Default: a new UUID
    operator: str | None  # Default: that of the caller
    deadline_ms: float  # 1 to 1,200,000. Default: 15 s, for a report 10 minutes, for a prepared command none


class PreparedCommand(TypedDict):
    """A command ready to be published or stored in an outbox: plain JSON data, in the same form as in
    Node.js.
    """

    id: str  # Its replies carry it as `command_id`
    exchange: str
    routingKey: str
    properties: dict[str, Any]  # AMQP properties; each publish adds the `timestamp`
    body: str  # JSON


def is_report(command: PreparedCommand) -> bool:
    return command["routingKey"].startswith("report.")


@dataclass(frozen=True)
class Sender:
    """The settings shared by all commands of a caller."""

    prefix: str
    app_id: str
    operator: str | None
    user_id: str | None
    trace_context: Callable[[], Mapping[str, str]] | None

    def prepare(
        self, command_type: str, data: Mapping[str, Any], options: CommandOptions, reply_to: str = ""
    ) -> PreparedCommand:
        """Prepares a command.

        Raises CallerError for an invalid id, TypeError for an unknown option, ValueError for an invalid deadline, and
        TypeError or ValueError for data that JSON cannot represent.
        """
        # Python does not check the names in a TypedDict at run time.
        if unknown := options.keys() - CommandOptions.__annotations__.keys():
            raise TypeError(f"no such option: {', '.join(sorted(unknown))}")
        if (command_id := options.get("command_id")) is None:
            command_id = str(uuid.uuid4())
        _check_id(command_id)
        headers: dict[str, str | int] = {"schema-version": _SCHEMA_VERSION}
        if (operator := options.get("operator") or self.operator) is not None:
            headers["operator"] = operator
        if (deadline_ms := options.get("deadline_ms")) is not None:
            headers["x-deadline"] = _deadline(deadline_ms)
        trace = self.trace_context() if self.trace_context else {}
        headers |= {name: trace[name] for name in ("traceparent", "tracestate") if name in trace}
        properties = {
            "type": command_type,
            "messageId": command_id,
            "correlationId": command_id,
            "replyTo": reply_to,
            "contentType": "application/json",
            "deliveryMode": 2,
            "appId": self.app_id,
            "headers": headers,
        }
        if self.user_id is not None:
            properties["userId"] = self.user_id
        return PreparedCommand(
            id=command_id,
            exchange=f"{self.prefix}.commands",
            routingKey=command_type,
            properties=properties,
            body=json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")),
        )


def _check_id(command_id: str) -> None:
    try:
        size = len(command_id.encode())
    except UnicodeEncodeError:  # A lone surrogate
        size = 0
    if not 0 < size <= _MAX_ID_BYTES:
        raise CallerError.of_invalid("/properties/message_id", "must have 1 to 200 bytes of UTF-8", command_id)


def _deadline(deadline_ms: float) -> str:
    if not 1 <= deadline_ms <= _LONGEST_DEADLINE_MS:
        raise ValueError(f"deadline_ms must be between 1 and {_LONGEST_DEADLINE_MS}")
    moment = datetime.now(timezone.utc) + timedelta(milliseconds=deadline_ms)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
