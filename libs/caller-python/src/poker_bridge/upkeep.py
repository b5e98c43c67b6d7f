"""The base class of connections and consumers, which are reopened after a failure."""

from __future__ import annotations

import asyncio
import logging
import re
from typing import Final, Generic, TypeVar

from pika.exceptions import ChannelClosedByBroker, ProbableAccessDeniedError, ProbableAuthenticationError

from .errors import CallerError

T = TypeVar("T")

LOG: Final = logging.getLogger("poker_bridge")
_REFUSED: Final = (403, 406)
"""No permission for the queue, and a queue declared with different arguments."""


class Upkeep(Generic[T]):
    """A resource that is reopened after a failure, and that tasks can wait for. Use it in the loop's thread
    only.
    """

    def __init__(self, complaint: str) -> None:
        """Takes the complaint, which starts the log line of a failure."""
        self.last_error: str | None = None
        """Why the resource is not open or not usable. Contains no password."""
        self._complaint = complaint
        self._value: T | None = None
        self._refusal: CallerError | None = None
        self._tried = asyncio.Event()
        """Set while the resource is open, or if the broker refuses it."""

    async def ready(self) -> T:
        """Returns the resource once it is open; raises CallerError if the broker refuses it."""
        while True:
            await self._tried.wait()
            if self._refusal is not None:
                raise self._refusal.again()
            if self._value is not None:
                return self._value

    def _opened(self, value: T) -> None:
        self._value = value
        self._refusal = self.last_error = None
        self._tried.set()

    def _failed(self, error: Exception) -> None:
        reason = str(error) if isinstance(error, CallerError) else reason_of(error)
        if reason != self.last_error:
            LOG.warning("%s, trying again: %s", self._complaint, reason)
        self.last_error = reason
        self._refusal = _refusal_of(error)
        if self._refusal is not None:
            self._tried.set()
        elif self._value is None:
            self._tried.clear()


def _refusal_of(error: Exception) -> CallerError | None:
    reason = reason_of(error)
    # A connection limit is a temporary failure.
    if isinstance(error, (ProbableAuthenticationError, ProbableAccessDeniedError)) and "limit" not in reason:
        return CallerError.of("LOGIN_REFUSED", hint=f"It says: {reason}.")
    if isinstance(error, ChannelClosedByBroker) and error.reply_code in _REFUSED:
        return CallerError.of("NOT_PERMITTED", hint=reason)
    return error.again() if isinstance(error, CallerError) else None


def reason_of(error: BaseException) -> str:
    """Returns the innermost error in one line: pika wraps it, with one error for each address of a host name.
    """
    for _ in range(10):
        inner = getattr(error, "exceptions", None) or [getattr(error, "exception", None) or next(iter(error.args), None)]
        if not isinstance(inner[-1], BaseException):
            break
        error = inner[-1]
    # Some of pika's errors contain the broker's message only as part of their text.
    said = re.search(r"\(\d+\) ['\"](.+?)['\"]+[,)]*$", str(error))
    return (said[1] if said else " ".join(str(error).split()) or type(error).__name__).rstrip(".")
