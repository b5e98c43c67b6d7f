"""The connection to the broker, in a thread of its own."""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

import pika
from pika.adapters.select_connection import IOLoop

LOG = logging.getLogger("poker_bridge")

_FIRST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 5.0
_CLOSE_TIMEOUT_S: Final = 2.0


class User(Protocol):
    """What keeps a channel on the connection."""

    def connected(self, amqp: Any) -> None:
        """There is a connection; channels of an earlier one are gone, or about to go."""


class Connection:
    """One connection to the broker that serves heartbeats whatever the program does.

    It is recreated, with growing pauses, until it is closed. What begins with `run` is called from any thread; everything
    else only in the thread of the connection, which never blocks.
    """

    def __init__(self, nodes: Sequence[Any]) -> None:
        """Begins to connect at once.

        Args:
            nodes: `pika.ConnectionParameters` of the nodes of one cluster, tried in turn
        """
        self.last_error: str | None = None
        """Why there is no connection, or why it takes nothing. Holds no password."""
        self.is_blocked = False
        """Whether the broker takes nothing from publishers: memory or disk alarm."""
        self._nodes = nodes
        self._turn = 0
        self._failures = 0
        self._users: list[User] = []
        self._amqp: Any = None
        self._is_closing = False
        self._loop = IOLoop()
        self._thread = threading.Thread(target=self._serve, name="poker-bridge", daemon=True)
        self.run(self._connect)
        self._thread.start()

    def run(self, work: Callable[[], None]) -> None:
        """Does some work in the thread of the connection, soon."""
        self._loop.add_callback_threadsafe(work)

    def run_close(self) -> None:
        """Closes for good; waits until it is closed, or has taken too long."""
        self.run(self._close)
        if threading.current_thread() is not self._thread:
            self._thread.join(2 * _CLOSE_TIMEOUT_S)

    def later(self, seconds: float, work: Callable[[], None]) -> None:
        self._loop.call_later(seconds, work)

    def attach(self, user: User) -> None:
        self._users.append(user)
        if self.is_current(self._amqp):
            user.connected(self._amqp)

    def detach(self, user: User) -> None:
        if user in self._users:
            self._users.remove(user)

    def is_current(self, amqp: Any) -> bool:
        """Whether channels can be opened on a connection."""
        return amqp is not None and amqp is self._amqp and bool(amqp.is_open)

    def reset(self, amqp: Any, reason: str) -> None:
        """Drops a connection, so that another one follows; nothing happens if that one follows already."""
        if amqp is self._amqp and amqp is not None:
            _close(amqp)
            self._lost(amqp, reason)

    def _serve(self) -> None:
        while True:
            try:
                self._loop.start()
            except Exception as error:  # A fault of a callback must not leave every call waiting.
                LOG.error("the connection is recreated after %s", type(error).__name__)
                self.reset(self._amqp, f"a fault of this library: {type(error).__name__}")
                continue
            self._loop.close()
            return

    def _connect(self) -> None:
        if self._is_closing:
            return
        node = self._nodes[self._turn % len(self._nodes)]
        self._turn += 1
        try:
            pika.SelectConnection(
                node,
                on_open_callback=self._opened,
                on_open_error_callback=lambda _, error: self._retry(_reason(error)),
                on_close_callback=lambda amqp, error: self._lost(amqp, _reason(error)),
                custom_ioloop=self._loop,
            )
        except Exception as error:  # An address that cannot be used is one more node that is away.
            self._retry(_reason(error))

    def _opened(self, amqp: Any) -> None:
        if self._is_closing:
            _close(amqp)
            return
        self._amqp = amqp
        self._failures = 0
        self.last_error = None
        self.is_blocked = False
        amqp.add_on_connection_blocked_callback(self._blocked)
        amqp.add_on_connection_unblocked_callback(self._unblocked)
        for user in list(self._users):
            user.connected(amqp)

    def _blocked(self, _amqp: Any, frame: Any) -> None:
        self.is_blocked = True
        self.last_error = f"the broker takes no messages: {frame.method.reason}"

    def _unblocked(self, _amqp: Any, _frame: Any) -> None:
        self.is_blocked = False
        self.last_error = None

    def _lost(self, amqp: Any, reason: str) -> None:
        if self._is_closing:
            self._loop.stop()
        elif amqp is self._amqp:
            self._amqp = None
            self._retry(reason)

    def _retry(self, reason: str) -> None:
        self.last_error = reason
        longest = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2**self._failures)
        self._failures = min(self._failures + 1, 10)
        self.later(longest * random.uniform(0.5, 1), self._connect)

    def _close(self) -> None:
        self._is_closing = True
        # A close that is cut in its handshake is never answered.
        self.later(_CLOSE_TIMEOUT_S, self._loop.stop)
        if not self.is_current(self._amqp):
            self._loop.stop()
        else:
            _close(self._amqp)


def _close(amqp: Any) -> None:
    try:
        amqp.close()
    except Exception:  # It is closed, or closing.
        pass


def _reason(error: Any) -> str:
    """The innermost error, in one line: pika wraps it, and has one for each address of a name."""
    for _ in range(10):
        inner = getattr(error, "exceptions", None) or [getattr(error, "exception", None) or next(iter(error.args), None)]
        if not isinstance(inner[-1], BaseException):
            break
        error = inner[-1]
    return str(error) or type(error).__name__
