"""One command on its way, sent as often as that can help, until its deadline."""

import asyncio
import random
from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

from .bus import FIRST_ANSWER_S, Bus
from .commands import PreparedCommand
from .consumer import Consumer, Delivery
from .errors import CallerError
from .messages import ErrorBody
from .replies import Reply, read_reply

T = TypeVar("T")

_ANSWER_SLACK_S: Final = 1.5
"""A command that a worker has taken is answered by its deadline and one second; the rest is for the way."""
_FIRST_PAUSE_S: Final = 0.2
_LONGEST_PAUSE_S: Final = 5.0


async def answer(bus: Bus, command: PreparedCommand, deadline_ms: float) -> dict[str, Any]:
    """The data of the reply to a command that a player waits for; raises CallerError."""

    def data_of(delivery: Delivery) -> dict[str, Any]:
        reply = read_success(delivery)
        if not reply.is_final:
            raise CallerError.of("REPLY_UNREADABLE", reply.command_id)
        return reply.data

    call = Call(bus, command, deadline_ms)
    try:
        with bus.replies.expected(command["id"], call.take):
            return await call.next(bus.reply_queue, data_of)
    finally:
        call.stop()


def read_success(delivery: Delivery) -> Reply:
    """Raises CallerError for `command.failed`, and as `read_reply`."""
    reply = read_reply(delivery)
    if reply.type == "command.failed":
        raise CallerError.of_reply(cast(ErrorBody, reply.data))
    return reply


class Call:
    """Used in the thread of the loop, and stopped at its end."""

    def __init__(self, bus: Bus, command: PreparedCommand, deadline_ms: float) -> None:
        self._bus = bus
        self._command = command
        self._lane = "reports" if command["routingKey"].startswith("report.") else "interactive"
        self._deadline = asyncio.get_running_loop().time() + deadline_ms / 1000
        self._events: asyncio.Queue[Delivery | CallerError | None] = asyncio.Queue()
        self._publishing: asyncio.Task[None] | None = None
        self._is_sent = False
        self._failures = 0

    def take(self, delivery: Delivery | None) -> None:
        """Takes a reply; None if the command has to be sent again, because replies come to another queue."""
        self._events.put_nowait(delivery)

    async def next(self, consumer: Consumer, read: Callable[[Delivery], T]) -> T:
        """What `read` makes of the next reply, to be received by a consumer.

        Sends the command first, and again as often as that can help. Raises CallerError as the last try did: as `read` or
        publishing does, or `NOT_SENT`, `NO_REPLY`.
        """
        while True:
            if self._publishing is None:
                self._publishing = asyncio.create_task(self._publish(consumer))
            try:
                event = await self._next_event(consumer)
                if isinstance(event, CallerError):
                    raise event
                if event is not None:
                    return read(event)
                self.stop()
            except CallerError as error:
                self.stop()
                await self._pause_after(error)

    def stop(self) -> None:
        """Nothing is sent any more."""
        if self._publishing is not None:
            self._publishing.cancel()
        self._publishing = None

    async def _pause_after(self, error: CallerError) -> None:
        """Waits before a further try: what the worker asks for, and full jitter over twice as long each time.

        Raises the error, if sending the command again cannot help within the deadline.
        """
        self._failures += 1
        longest = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** (self._failures - 1))
        pause = (error.retry_after_ms or 0) / 1000 + random.uniform(0, longest)
        if not error.retryable or asyncio.get_running_loop().time() + pause >= self._deadline:
            raise error
        await asyncio.sleep(pause)

    async def _next_event(self, consumer: Consumer) -> Delivery | CallerError | None:
        for end in (self._deadline, self._deadline + _ANSWER_SLACK_S):
            try:
                async with asyncio.timeout_at(end):
                    return await self._events.get()
            except TimeoutError:
                if not self._is_sent:
                    fault = consumer.last_error
                    hint = f"The last error: {fault}." if fault else ""
                    raise self._bus.failure("NOT_SENT", self._command["id"], hint) from None
        hint = f"Is {self._bus.sender.prefix}.{self._lane} served?"
        raise self._bus.failure("NO_REPLY", self._command["id"], hint)

    async def _publish(self, consumer: Consumer) -> None:
        try:
            self._command["properties"]["replyTo"] = await consumer.ready()
            await self._bus.publisher.publish(self._command, FIRST_ANSWER_S[self._lane])
            self._is_sent = True
        except CallerError as error:
            self._events.put_nowait(error)
