"""Cancels calls from another thread."""

import threading
from concurrent.futures import Future
from typing import Any
from weakref import WeakSet


class Cancellation:
    """Cancels every call that received it, including calls made after `cancel`. It cannot be reset.

    A cancelled call raises `concurrent.futures.CancelledError`. The worker may still run its command; reading of a
    report stops.
    """

    def __init__(self) -> None:
        # Reentrant, because a signal handler may call `cancel` while its thread holds the lock.
        self._lock = threading.RLock()
        self._calls: WeakSet[Future[Any]] = WeakSet()
        self.is_cancelled = False

    def cancel(self) -> None:
        """Cancels the calls and returns immediately. Safe in any thread and in signal handlers; may be
        repeated.
        """
        with self._lock:
            self.is_cancelled = True
            calls = list(self._calls)
        for call in calls:
            call.cancel()

    def ends(self, call: Future[Any]) -> None:
        """Registers a call to be cancelled, which happens immediately if `cancel` was called before."""
        with self._lock:
            self._calls.add(call)
        if self.is_cancelled:
            call.cancel()
