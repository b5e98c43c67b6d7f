"""A command in flight, retried until its deadline."""

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
"""A worker answers at most one second after the deadline; the rest allows for network delays."""


async def answer(bus: Bus, command: PreparedCommand, deadline_ms: float) -> dict[str, Any]:
    """Returns the data of the reply to an interactive command; raises CallerError."""

    def data_of(delivery: Delivery) -> dict[str, Any]:
        reply = read_success(delivery)
        if not reply.is_final:
            raise CallerError.of("REPLY_UNREADABLE", reply.command_id)
        return reply.data

    call = Call(bus, command, deadline_ms)
    with bus.replies.expected(command["id"], call.arrived):
        return await call.next(bus.reply_queue, data_of)


def read_success(delivery: Delivery) -> Reply:
    """Returns a successful reply; raises CallerError for `command.failed`, and the errors of `read_reply`."""
    reply = read_reply(delivery)
    if reply.type == "command.failed":
        raise CallerError(reply.data, reply.command_id)
    return reply


class Call:
    """A command in flight. Use it in the loop's thread only."""

    def __init__(self, bus: Bus, command: PreparedCommand, deadline_ms: float) -> None:
        self._bus = bus
        self._command = command
        self._deadline = asyncio.get_running_loop().time() + deadline_ms / 1000
        self.arrived: Final[asyncio.Queue[Delivery | None]] = asyncio.Queue()
        """Replies to the command. None means: send the command again, because the reply queue has changed."""
        self._was_sent = False
        self._is_awaited = False
        """True if the command was sent and no failure has occurred since."""
        self._sent_at: float | None = None
        """When the command was last sent; None after a reply."""
        self._attempts = 1

    async def next(self, consumer: Consumer, read: Callable[[Delivery], T]) -> T:
        """Returns the result of `read` for the next reply that the consumer receives.

        Sends the command first, and retries it while a retry can succeed. Raises the CallerError of the last attempt:
        that of `read` or of publishing, or `NOT_SENT` or `NO_REPLY`.
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
                # A reply proves that the command was sent, even without a confirm from the broker.
                self._is_awaited = not self.arrived.empty()
                if not self._is_awaited:
                    await self._pause_after(error)

    async def _publish(self, consumer: Consumer) -> None:
        self._command["properties"]["replyTo"] = await consumer.ready()
        await self._bus.publisher.publish(self._command)

    async def _within_limit(self, work: Awaitable[T], consumer: Consumer) -> T:
        """Awaits `work` until the deadline, or slightly longer if the command was sent: a reply may still
        arrive.
        """
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
        """Waits before the next attempt; raises the error if the deadline or the retry budget allows none."""
        remaining_s = self._deadline - asyncio.get_running_loop().time()
        pause_s = self._bus.retries.pause_s(self._command["routingKey"], error, self._attempts, remaining_s)
        if pause_s is None:
            raise error
        self._attempts += 1
        await asyncio.sleep(pause_s)
