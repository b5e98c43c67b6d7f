"""Ends calls from another thread."""

import threading
from concurrent.futures import Future
from typing import Any
from weakref import WeakSet


class Cancellation:
    """Ends the calls that it was given to, at once or later, and for good: one that is made after that ends, too.

    A call that ends so raises `concurrent.futures.CancelledError`. Its command may still run; a report is read no further.
    """

    def __init__(self) -> None:
        # A signal handler may cancel while its thread is in here.
        self._lock = threading.RLock()
        self._calls: WeakSet[Future[Any]] = WeakSet()
        self.is_cancelled = False

    def cancel(self) -> None:
        """For any thread and for signal handlers, as often as wanted; returns at once."""
        with self._lock:
            self.is_cancelled = True
            calls = list(self._calls)
        for call in calls:
            call.cancel()

    def ends(self, call: Future[Any]) -> None:
        """Has a call be ended by it, at once if it was cancelled before."""
        with self._lock:
            self._calls.add(call)
        if self.is_cancelled:
            call.cancel()
