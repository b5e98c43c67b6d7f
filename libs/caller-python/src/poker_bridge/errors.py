"""Errors of calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from .messages import ErrorCode, PlatformAnswer, Violation

CallerCode = Literal[
    "NO_WORKER", "NOT_SENT", "NOT_PERMITTED", "LOGIN_REFUSED", "INSTANCE_TAKEN", "NOT_CONNECTED", "NO_REPLY",
    "REPLY_LOST", "REPLY_UNREADABLE", "ID_IN_USE", "TOO_MANY_CALLS", "CALLER_CLOSED",
]
Category = Literal["invalid", "expired", "misconfigured", "rejected", "unavailable", "uncertain", "internal"]


class _Facts(NamedTuple):
    category: Category
    retryable: bool
    message: str


_NO_WORKER = "No queue takes this command: no worker with this prefix has connected to this virtual host."
_NO_REPLY = "No reply came in time; the command may have been run. Send it again under the same id."
_TAKEN = "Another process is this instance of the caller; each needs one of its own."
_IN_USE = "A command of another operator with this id is in flight in this process. Use another id."
_REFUSED = "The broker refuses this user, its password or the virtual host."
_TOO_MANY = "This caller has too many calls under way. Call again later."
CALLER_CODES: Final[Mapping[CallerCode, _Facts]] = {
    "NO_WORKER": _Facts("misconfigured", False, _NO_WORKER),
    "NOT_SENT": _Facts("unavailable", True, "The broker did not confirm the command before its deadline."),
    "NOT_PERMITTED": _Facts("misconfigured", False, "The broker refuses what this user publishes."),
    "LOGIN_REFUSED": _Facts("misconfigured", False, _REFUSED),
    "INSTANCE_TAKEN": _Facts("misconfigured", False, _TAKEN),
    "NOT_CONNECTED": _Facts("unavailable", True, "There was no connection to the broker in time."),
    "NO_REPLY": _Facts("uncertain", True, _NO_REPLY),
    "REPLY_LOST": _Facts("unavailable", True, "A page of the report was lost on its way. Fetch it again."),
    "REPLY_UNREADABLE": _Facts("uncertain", False, "The reply is not one that this version can read."),
    "ID_IN_USE": _Facts("invalid", False, _IN_USE),
    "TOO_MANY_CALLS": _Facts("unavailable", True, _TOO_MANY),
    "CALLER_CLOSED": _Facts("uncertain", False, "This caller was closed; the command may have been sent."),
}
"""Failures raised by this library: category, whether a retry can succeed, and message."""


class CallerError(Exception):
    """A failed call. Decide by `code`: a code of the worker, or one of `CALLER_CODES` for errors of this library.

    The message is for people. It contains no value of the command.
    """

    def __init__(self, body: Mapping[str, Any], command_id: str | None) -> None:
        """Takes the body of `command.failed`; `attempts`, `command` and `occurredAt` may be missing."""
        super().__init__(body["message"])
        self._body = body
        self.code: ErrorCode | CallerCode = body["code"]
        self.category: Category = body["category"]
        self.retryable: bool = body["retryable"]
        """True if the same command, sent again with the same id, can succeed without a change."""
        self.retry_after_ms: int | None = body.get("retryAfterMs")
        """Milliseconds to wait before a retry, if known."""
        self.violations: Sequence[Violation] = body.get("violations") or ()
        """Faults of the command, each with a JSON pointer into its data, its `/properties` or its `/headers`.
        """
        self.details: Mapping[str, Any] = body.get("details") or {}
        self.platform: PlatformAnswer | None = body.get("platform")
        """The platform's answer, if it refused the command or failed."""
        self.command_id = command_id
        """The id with which to send the same command again, or to find it in the worker's log."""

    def __str__(self) -> str:
        faults = "".join(f" {fault['pointer']} {fault['message']}." for fault in self.violations)
        return f"{self.code}: {self.args[0]}{faults}"

    def __repr__(self) -> str:
        return f"CallerError({str(self)!r}, command_id={self.command_id!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return CallerError, (self._body, self.command_id)  # Makes the error picklable, to pass it between processes

    def again(self) -> CallerError:
        """Returns a copy for another call, without the traceback, which refers to frames of a running task.
        """
        return CallerError(self._body, self.command_id)

    @classmethod
    def of(cls, code: CallerCode, command_id: str | None = None, hint: str = "") -> CallerError:
        """Returns an error raised by this library; `hint` is appended to its message."""
        facts = CALLER_CODES[code]._asdict()
        return cls({"code": code, **facts, "message": f"{facts['message']} {hint}".rstrip()}, command_id)

    @classmethod
    def of_conflict(cls, command_id: str) -> CallerError:
        """Returns the worker's error for an id that belongs to another command."""
        message = "This message id was used for another command. Use a new id for new data."
        body = {"code": "IDEMPOTENCY_CONFLICT", "category": "invalid", "retryable": False, "message": message}
        return cls(body, command_id)

    @classmethod
    def of_invalid(cls, pointer: str, fault: str, command_id: str) -> CallerError:
        """Returns the error of a command that cannot be sent."""
        message = "The command is not valid; see the violations."
        body = {"code": "VALIDATION_FAILED", "category": "invalid", "retryable": False, "message": message}
        return cls({**body, "violations": [Violation(pointer=pointer, message=fault)]}, command_id)
