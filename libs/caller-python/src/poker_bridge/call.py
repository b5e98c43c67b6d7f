"""One command on its way, sent as often as that can help, until its deadline."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from .bus import Bus
from .commands import PreparedCommand, is_report
from .consumer import Consumer, Delivery
from .errors import CallerError
from .replies import Reply, read_reply

T = TypeVar("T")

_ANSWER_SLACK_S: Final = 1.5
"""A command that a worker has taken is answered by its deadline and one second; the rest is for the way."""


async def answer(bus: Bus, command: PreparedCommand, deadline_ms: float) -> dict[str, Any]:
    """The data of the reply to a command that a player waits for; raises CallerError."""

    def data_of(delivery: Delivery) -> dict[str, Any]:
        reply = read_success(delivery)
        if not reply.is_final:
            raise CallerError.of("REPLY_UNREADABLE", reply.command_id)
        return reply.data

    call = Call(bus, command, deadline_ms)
    with bus.replies.expected(command["id"], call.arrived):
        return await call.next(bus.reply_queue, data_of)


def read_success(delivery: Delivery) -> Reply:
    """Raises CallerError for `command.failed`, and as `read_reply`."""
    reply = read_reply(delivery)
    if reply.type == "command.failed":
        raise CallerError(reply.data, reply.command_id)
    return reply


class Call:
    """Used in the thread of the loop."""

    def __init__(self, bus: Bus, command: PreparedCommand, deadline_ms: float) -> None:
        self._bus = bus
        self._command = command
        self._deadline = asyncio.get_running_loop().time() + deadline_ms / 1000
        self.arrived: Final[asyncio.Queue[Delivery | None]] = asyncio.Queue()
        """Its replies; None if the command has to be sent again, because they come to another queue of the broker."""
        self._was_sent = False
        self._is_awaited = False
        """Whether nothing has failed since it was sent."""
        self._sent_at: float | None = None
        """When it was last sent; None once it has been answered."""
        self._attempts = 1

    async def next(self, consumer: Consumer, read: Callable[[Delivery], T]) -> T:
        """What `read` makes of the next reply, to be received by a consumer.

        Sends the command first, and again as often as that can help. Raises CallerError as the last try did: as `read` or
        publishing does, or `NOT_SENT`, `NO_REPLY`.
        """
        while True:
            try:
                if not self._is_awaited:
                    await self._within_limit(self._publish(consumer), consumer)
                    self._sent_at = asyncio.get_running_loop().time()
                self._is_awaited = self._was_sent = True
                delivery = await self._within_limit(self.arrived.get(), consumer)
                if delivery is not None:
                    result = read(delivery)
                    self._succeeded()
                    return result
                self._is_awaited = False
            except CallerError as error:
                # A reply shows that it was sent, whatever the broker has confirmed.
                self._is_awaited = not self.arrived.empty()
                if not self._is_awaited:
                    await self._pause_after(error)

    async def _publish(self, consumer: Consumer) -> None:
        self._command["properties"]["replyTo"] = await consumer.ready()
        await self._bus.publisher.publish(self._command)

    async def _within_limit(self, work: Awaitable[T], consumer: Consumer) -> T:
        """Awaits some work until the deadline; a command that was sent may still be answered for a moment after it."""
        command_id = self._command["id"]
        rest_s = self._deadline - asyncio.get_running_loop().time()
        if not self._was_sent:
            hint = f"The last error: {consumer.last_error}." if consumer.last_error else ""
            return await self._bus.within(rest_s, work, "NOT_SENT", command_id, hint)
        lane = "reports" if is_report(self._command) else "interactive"
        hint = f"Is {self._bus.sender.prefix}.{lane} served?"
        return await self._bus.within(rest_s + _ANSWER_SLACK_S, work, "NO_REPLY", command_id, hint)

    def _succeeded(self) -> None:
        if self._sent_at is not None:
            took_s = asyncio.get_running_loop().time() - self._sent_at
            self._bus.retries.succeeded(self._command["routingKey"], took_s)
            self._sent_at = None

    async def _pause_after(self, error: CallerError) -> None:
        """Waits before the next attempt; raises the error if none can help within the deadline and the retry budget."""
        remaining_s = self._deadline - asyncio.get_running_loop().time()
        pause_s = self._bus.retries.pause_s(self._command["routingKey"], error, self._attempts, remaining_s)
        if pause_s is None:
            raise error
        self._attempts += 1
        await asyncio.sleep(pause_s)
