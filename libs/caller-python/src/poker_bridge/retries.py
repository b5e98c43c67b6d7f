"""Decides when a failed command is retried."""

import random
import time
from collections.abc import Callable
from typing import Final

from .errors import CALLER_CODES, CallerError

_FIRST_PAUSE_S: Final = 0.2
_LONGEST_PAUSE_S: Final = 5.0
_CAPACITY: Final = 100.0
_PER_SUCCESS: Final = 0.2
_PER_SECOND: Final = 1.0
_WEIGHT: Final = 0.2
"""The weight of the latest call in the moving average of durations."""


def backoff_s(attempts: int, jitter: Callable[[float, float], float] = random.uniform) -> float:
    """Returns an exponential backoff with full jitter, in seconds."""
    return jitter(0, min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** min(attempts - 1, 10)))


class Retries:
    """Decides on the retries of all calls of a caller, so that they add little load to an overloaded worker.

    The budget is a token bucket of 100 retries. Each success refills a fifth of a retry, and each second one retry.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[float, float], float] = random.uniform,
    ) -> None:
        self._clock = clock
        self._jitter = jitter
        self._mean_s: dict[str, float] = {}
        self._tokens = _CAPACITY
        self._refilled_at = clock()

    def succeeded(self, command_type: str, took_s: float) -> None:
        """Records a success that took `took_s` seconds from the latest publish to the reply."""
        self._add(_PER_SUCCESS)
        mean_s = self._mean_s.get(command_type, took_s)
        self._mean_s[command_type] = mean_s + _WEIGHT * (took_s - mean_s)

    def pause_s(self, command_type: str, error: CallerError, attempts: int, remaining_s: float) -> float | None:
        """Returns the pause before the next attempt: at least `retry_after_ms`, plus jitter.

        Returns None to stop: the failure is permanent, the budget is empty, or the reply would arrive too late.
        """
        if not error.retryable:
            return None
        pause_s = (error.retry_after_ms or 0) / 1000 + backoff_s(attempts, self._jitter)
        if pause_s + self._mean_s.get(command_type, 0) >= remaining_s:
            return None
        # Failures on this side of the bus say nothing about the load of the worker.
        return pause_s if error.code in CALLER_CODES or self._take() else None

    def _take(self) -> bool:
        now = self._clock()
        self._add((now - self._refilled_at) * _PER_SECOND)
        self._refilled_at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def _add(self, tokens: float) -> None:
        self._tokens = min(_CAPACITY, self._tokens + tokens)
