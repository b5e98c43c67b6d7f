"""One command on its way, sent as often as that can help, for as long as its call waits."""

from __future__ import annotations

import queue
import random
import time
from collections import deque
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from types import TracebackType
from typing import Final

from .cancellation import Cancellation
from .commands import PreparedCommand, Sender
from .connection import Connection
from .consumer import Consumer, Delivery
from .errors import CallerError
from .publisher import Publish, Publisher
from .replies import Replies
from .validation import COMMANDS

_ANSWER_SLACK_S: Final = 1.5
"""A command that a worker has taken is answered by its deadline and one second; the rest is for the way."""
_FIRST_ANSWER_S: Final = {"interactive": 1.0, "reports": 5.0}
"""A command that a player waits for is run once, however often it is published; a report is run each time."""
_FIRST_PAUSE_S: Final = 0.2
_LONGEST_PAUSE_S: Final = 5.0


@dataclass(eq=False)
class Bus:
    """What the calls of one caller share."""

    sender: Sender
    connection: Connection
    publisher: Publisher
    replies: Replies
    reply_queue: Consumer
    calls: set[Attempts] = field(default_factory=set)
    is_closed: bool = False

    @property
    def last_error(self) -> str | None:
        return self.connection.last_error or self.reply_queue.last_error


class Attempts:
    """A context: at its end nothing is sent any more."""

    def __init__(
        self,
        bus: Bus,
        command: PreparedCommand,
        deadline_ms: float,
        cancellation: Cancellation | None = None,
    ) -> None:
        self._cancellation = Cancellation() if cancellation is None else cancellation
        self._end = ExitStack()
        self._bus = bus
        self._command = command
        self._lane = COMMANDS[command["routingKey"]]["lane"]
        self._deadline = time.monotonic() + deadline_ms / 1000
        self._events: queue.SimpleQueue[Delivery | CallerError | None] = queue.SimpleQueue()
        self._early: deque[Delivery | CallerError | None] = deque()
        self._consumer: Consumer | None = None
        self._publish: Publish | None = None
        self._is_sent = False
        self._failures = 0

    def __enter__(self) -> Attempts:
        # What waits looks for what has ended it once it is woken.
        self._end.enter_context(self._cancellation.ending(lambda: self._events.put(None)))
        self._bus.calls.add(self)
        if self._bus.is_closed:
            self.end(CallerError.of("CALLER_CLOSED", self._command["id"]))
        return self

    def __exit__(self, _type: type | None, _error: BaseException | None, _at: TracebackType | None) -> None:
        self._end.close()
        self._bus.calls.discard(self)
        self._forget()

    def take(self, delivery: Delivery) -> None:
        """For any thread: a reply."""
        self._events.put(delivery)

    def end(self, error: CallerError) -> None:
        """For any thread: the wait ends with an error."""
        self._events.put(error)

    def send(self, consumer: Consumer) -> None:
        """Publishes the command once its replies can be received by a consumer; returns at once."""
        self._forget()
        self._consumer = consumer
        publish = self._publish = Publish(self._command, _FIRST_ANSWER_S[self._lane], self._settle)

        def start() -> None:
            if self._publish is publish:
                self._bus.publisher.publish(publish)

        consumer.when_ready(start)

    def next_reply(self) -> Delivery:
        """
        Raises:
            CallerError: `NO_WORKER`, `NOT_PERMITTED`, `NOT_SENT`, `NO_REPLY`, `CALLER_CLOSED`
            CancelledError: it was cancelled
        """
        while True:
            self._cancellation.check()
            event = self._early.popleft() if self._early else self._wait()
            if isinstance(event, CallerError):
                raise event
            if event is not None:
                return event

    def until_confirmed(self) -> None:
        """
        Raises:
            CallerError: `NO_WORKER`, `NOT_PERMITTED`, `NOT_SENT`, `CALLER_CLOSED`
            CancelledError: it was cancelled
        """
        while not self._is_sent:
            self._cancellation.check()
            event = self._wait()
            if isinstance(event, CallerError):
                raise event

    def pause_after(self, error: CallerError) -> None:
        """Waits before the command is sent again: what the worker asks for, and full jitter over twice as long each time.

        Raises:
            CallerError: the error, if sending it again cannot help within the deadline
            CancelledError: it was cancelled
        """
        self._failures += 1
        longest = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** (self._failures - 1))
        pause = (error.retry_after_ms or 0) / 1000 + random.uniform(0, longest)
        end = time.monotonic() + pause
        if not error.retryable or end >= self._deadline:
            raise error
        while (left := end - time.monotonic()) > 0:
            self._cancellation.check()
            try:
                event = self._events.get(timeout=left)
            except queue.Empty:
                return
            if isinstance(event, CallerError) and event.code == "CALLER_CLOSED":
                raise event
            self._early.append(event)

    def _wait(self) -> Delivery | CallerError | None:
        left = self._deadline + _ANSWER_SLACK_S - time.monotonic()
        try:
            return self._events.get(timeout=max(left, 0))
        except queue.Empty:
            raise self._expired() from None

    def _settle(self, error: CallerError | None) -> None:
        self._is_sent = self._is_sent or error is None
        self._events.put(error)

    def _forget(self) -> None:
        publish, self._publish = self._publish, None
        if publish is not None:
            self._bus.connection.run(partial(self._bus.publisher.forget, publish))

    def _expired(self) -> CallerError:
        fault = self._bus.last_error or (self._consumer and self._consumer.last_error)
        lane = f"{self._bus.sender.prefix}.{self._lane}"
        hint = f"The last error: {fault}." if fault else f"Is {lane} served?"
        return CallerError.of("NO_REPLY" if self._is_sent else "NOT_SENT", self._command["id"], hint)
