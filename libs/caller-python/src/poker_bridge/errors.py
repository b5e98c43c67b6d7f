"""How a call fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from .messages import ErrorBody, ErrorCode, PlatformAnswer, Violation

CallerCode = Literal[
    "NO_WORKER",
    "NOT_SENT",
    "NOT_PERMITTED",
    "NO_REPLY",
    "REPLY_LOST",
    "REPLY_UNREADABLE",
    "ID_IN_USE",
    "TOO_MANY_CALLS",
    "CALLER_CLOSED",
]


class _Facts(NamedTuple):
    retryable: bool
    message: str


CALLER_CODES: Final[Mapping[CallerCode, _Facts]] = {
    "NO_WORKER": _Facts(
        False, "No queue takes this command: no worker with this prefix has connected to this virtual host."
    ),
    "NOT_SENT": _Facts(True, "The broker did not confirm the command before its deadline."),
    "NOT_PERMITTED": _Facts(False, "The broker refuses what this user publishes."),
    "NO_REPLY": _Facts(
        True, "No reply came in time; the command may have been run. Send it again under the same id."
    ),
    "REPLY_LOST": _Facts(True, "A page of the report was lost on its way. Fetch it again."),
    "REPLY_UNREADABLE": _Facts(False, "The reply is not one that this version can read."),
    "ID_IN_USE": _Facts(False, "A command with this id is under way. Await that one."),
    "TOO_MANY_CALLS": _Facts(True, "This caller has too many calls under way. Call again later."),
    "CALLER_CLOSED": _Facts(False, "This caller was closed; the command may have been sent."),
}
"""Why a call failed on this side of the bus: whether sending it again can help, and a sentence."""


class CallerError(Exception):
    """Decide by `code`: what the worker answers, or one of `CALLER_CODES` for faults on this side of the bus.

    `VALIDATION_FAILED` is also this library's, before anything is sent. The message is a sentence for people and holds no
    value of the command.
    """

    code: ErrorCode | CallerCode
    retryable: bool
    """Whether the same command, sent again under the same id, can succeed without anyone changing it."""
    retry_after_ms: int | None
    """How long to wait before that, if known."""
    violations: Sequence[Violation]
    """Each fault of the command, at a JSON pointer into its data, its `/properties` or its `/headers`."""
    details: Mapping[str, Any]
    platform: PlatformAnswer | None
    """What the platform answered."""
    command_id: str | None
    """To send the same command again, and to find it in the worker's log."""

    def __init__(
        self,
        code: ErrorCode | CallerCode,
        message: str,
        *,
        retryable: bool,
        retry_after_ms: int | None = None,
        violations: Sequence[Violation] = (),
        details: Mapping[str, Any] | None = None,
        platform: PlatformAnswer | None = None,
        command_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.retryable = retryable
        self.retry_after_ms = retry_after_ms
        self.violations = violations
        self.details = details or {}
        self.platform = platform
        self.command_id = command_id

    def __str__(self) -> str:
        faults = "".join(f" {fault['pointer']} {fault['message']}." for fault in self.violations)
        return f"{self.code}: {self.args[0]}{faults}"

    @classmethod
    def of(cls, code: CallerCode, command_id: str | None = None, hint: str = "") -> CallerError:
        """A fault on this side of the bus; `hint` is a further sentence."""
        retryable, message = CALLER_CODES[code]
        return cls(code, f"{message} {hint}".rstrip(), retryable=retryable, command_id=command_id)

    @classmethod
    def of_reply(cls, body: ErrorBody) -> CallerError:
        """What a worker answered: the data of `command.failed`."""
        return cls(
            body["code"],
            body["message"],
            retryable=body["retryable"],
            retry_after_ms=body.get("retryAfterMs"),
            violations=body.get("violations", ()),
            details=body.get("details"),
            platform=body.get("platform"),
            command_id=body["command"]["id"],
        )

    @classmethod
    def of_invalid(cls, violations: Sequence[Violation], command_id: str | None) -> CallerError:
        """What breaks the contract before it is sent."""
        message = "The command is not valid; see the violations."
        return cls(
            "VALIDATION_FAILED", message, retryable=False, violations=violations, command_id=command_id
        )
