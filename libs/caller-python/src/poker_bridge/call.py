"""A command in flight, retried until its deadline."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from copy import deepcopy
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
    """Returns the data of the reply to an interactive command; raises CallerError.

    Calls of the same command with the same id share one request and its result. Each keeps its own deadline: if the
    sending call gives up, another call sends the command.
    """
    call = Call(bus, command, deadline_ms)
    with bus.replies.counted(command["id"]):
        while (sender := bus.in_flight.get(command["id"])) is not None:
            _assert_same(sender.command, command)
            result = await call.follow(sender, bus.reply_queue)
            if isinstance(result, CallerError):
                await call.pause_after(result.again())
            elif result is not None:
                return deepcopy(result)
        return await _send(bus, call)


async def _send(bus: Bus, call: Call) -> dict[str, Any]:
    command_id = call.command["id"]
    result: dict[str, Any] | CallerError | None = None
    bus.in_flight[command_id] = call
    try:
        with bus.replies.expected(command_id, call.arrived):
            result = await call.next(bus.reply_queue, _final_data)
        return result
    except CallerError as error:
        result = None if _is_of_one_call(error) else error
        raise
    finally:
        del bus.in_flight[command_id]
        call.ended.set_result(result)


def _final_data(delivery: Delivery) -> dict[str, Any]:
    reply = read_success(delivery)
    if not reply.is_final:
        raise CallerError.of("REPLY_UNREADABLE", reply.command_id)
    return reply.data


def _assert_same(one: PreparedCommand, other: PreparedCommand) -> None:
    """Compares operator, type and data, like the worker; raises CallerError."""
    if one["properties"]["headers"].get("operator") != other["properties"]["headers"].get("operator"):
        raise CallerError.of("ID_IN_USE", other["id"])
    # Python considers True and 1 equal, but their texts differ.
    data, other_data = (json.dumps(json.loads(each["body"]), sort_keys=True) for each in (one, other))
    if (one["routingKey"], data) != (other["routingKey"], other_data):
        raise CallerError.of_conflict(other["id"])


def _is_of_one_call(error: CallerError) -> bool:
    """True if a call failed by its own deadline, so that the failure says nothing about other calls."""
    is_expired = error.code == "COMMAND_EXPIRED" and error.details.get("called") is False
    return is_expired or error.code in ("NOT_SENT", "NO_REPLY")


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
        self.command: Final = command
        self._deadline = asyncio.get_running_loop().time() + deadline_ms / 1000
        self.arrived: Final[asyncio.Queue[Delivery | None]] = asyncio.Queue()
        """Replies to the command. None means: send the command again, because the reply queue has changed."""
        self.ended: Final[asyncio.Future[dict[str, Any] | CallerError | None]] = asyncio.Future()
        """The result for calls with the same id; None if only this call gave up."""
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
                    await self.pause_after(error)

    async def follow(self, sender: Call, consumer: Consumer) -> dict[str, Any] | CallerError | None:
        """Returns the result of the call that sends the command; raises CallerError at the own deadline."""
        while True:
            self._was_sent = self._was_sent or sender._was_sent
            try:
                return await self._within_limit(asyncio.shield(sender.ended), consumer)
            except CallerError:
                # The sender may have sent the command since: then its reply may still arrive.
                if self._was_sent or not sender._was_sent:
                    raise

    async def _publish(self, consumer: Consumer) -> None:
        self.command["properties"]["replyTo"] = await consumer.ready()
        await self._bus.publisher.publish(self.command)

    async def _within_limit(self, work: Awaitable[T], consumer: Consumer) -> T:
        """Awaits `work` until the deadline, or slightly longer if the command was sent: a reply may still
        arrive.
        """
        command_id = self.command["id"]
        rest_s = self._deadline - asyncio.get_running_loop().time()
        if self._was_sent:
            lane = "reports" if is_report(self.command) else "interactive"
            hint = f"Is {self._bus.sender.prefix}.{lane} served?"
            limit = self._bus.within(rest_s + _ANSWER_SLACK_S, "NO_REPLY", command_id, hint)
        else:
            hint = f"The last error: {consumer.last_error}." if consumer.last_error else ""
            limit = self._bus.within(rest_s, "NOT_SENT", command_id, hint)
        async with limit:
            return await work

    def _succeeded(self) -> None:
        if self._sent_at is not None:
            took_s = asyncio.get_running_loop().time() - self._sent_at
            self._bus.retries.succeeded(self.command["routingKey"], took_s)
            self._sent_at = None

    async def pause_after(self, error: CallerError) -> None:
        """Waits before the next attempt; raises the error if the deadline or the retry budget allows none."""
        remaining_s = self._deadline - asyncio.get_running_loop().time()
        pause_s = self._bus.retries.pause_s(self.command["routingKey"], error, self._attempts, remaining_s)
        if pause_s is None:
            raise error
        self._attempts += 1
        await asyncio.sleep(pause_s)
