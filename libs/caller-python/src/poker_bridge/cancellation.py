"""Ends calls from another thread."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager


class Cancellation:
    """Ends the calls that it was given to, at once or later, and for good: one that is made after that ends, too.

    A call that ends so raises `concurrent.futures.CancelledError`. Its command may still run; a report is read no further.
    """

    def __init__(self) -> None:
        # A signal handler may cancel while its thread is in here.
        self._lock = threading.RLock()
        self._ends: list[Callable[[], object]] = []
        self.is_cancelled = False

    def cancel(self) -> None:
        """For any thread and for signal handlers, as often as wanted; returns at once."""
        with self._lock:
            self.is_cancelled = True
            ends, self._ends = self._ends, []
        for end in ends:
            end()

    @contextmanager
    def ending(self, end: Callable[[], object]) -> Iterator[None]:
        """While a call is to be ended by it, in the thread that cancels; raises CancelledError if it was cancelled before."""
        with self._lock:
            if self.is_cancelled:
                raise CancelledError("the call was cancelled")
            self._ends.append(end)
        try:
            yield
        finally:
            with self._lock:
                if end in self._ends:
                    self._ends.remove(end)
