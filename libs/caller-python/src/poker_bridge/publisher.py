"""Publishes commands as mandatory messages with confirms."""

from __future__ import annotations

import asyncio
import itertools
import re
import time
from typing import Any, Final, Self

import pika
from pika.exceptions import AMQPChannelError, AMQPConnectionError, ChannelClosedByBroker
from pika.spec import Basic

from .commands import PreparedCommand, is_report
from .connection import Channel, Connection, settle
from .errors import CallerCode, CallerError
from .retries import backoff_s

_CHANNELS: Final = 16
"""The maximum number of commands being published at a time; further ones wait."""
_FIRST_ANSWER_S: Final = 1.0
"""Short, because a worker runs an interactive command once even if it is republished. A report runs each
time.
"""
_FIRST_REPORT_ANSWER_S: Final = 5.0
_LONGEST_ANSWER_S: Final = 8.0
_CHANNELS_OF_A_NODE: Final = 4
"""Consecutive channels without a confirm, after which the next node is tried."""
_REFUSALS: Final[dict[int, CallerCode]] = {403: "NOT_PERMITTED", 404: "NO_WORKER", 406: "NOT_PERMITTED"}
"""Access refused, missing exchange, and a property or body size that the broker rejects."""


class Publisher:
    """Publishes commands, and retries on other channels and connections.

    A channel carries one command at a time, because the broker closes the channel of a command that it refuses; no
    other command fails with it. Use it in the loop's thread only.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._idle: list[_ConfirmingChannel] = []
        self._turns = asyncio.Semaphore(_CHANNELS)
        self._silent_channels = 0

    async def publish(self, command: PreparedCommand) -> None:
        """Returns once the broker has confirmed the command; raises CallerError if the broker refuses it."""
        # The time allowed for a confirm doubles with each attempt, because the broker may be busy.
        answer_s = _FIRST_REPORT_ANSWER_S if is_report(command) else _FIRST_ANSWER_S
        for attempt in itertools.count(1):
            async with self._turns:
                # A command sent to a blocking broker would wait in the socket, even past its deadline.
                await self._connection.unblocked.wait()
                try:
                    if await self._has_published(command, answer_s):
                        return
                except ChannelClosedByBroker as error:
                    if (code := _REFUSALS.get(error.reply_code)) is not None:
                        raise CallerError.of(code, command["id"], error.reply_text) from None
                except TimeoutError:
                    # A channel opened while a queue had no leader may never confirm; a new channel does.
                    self._silent_channels += self._connection.unblocked.is_set()
                    if self._silent_channels >= _CHANNELS_OF_A_NODE:
                        self._silent_channels = 0
                        self._connection.reset("the node confirms nothing")
                except (AMQPChannelError, AMQPConnectionError, OSError):
                    pass
            answer_s = min(2 * answer_s, _LONGEST_ANSWER_S)
            await asyncio.sleep(backoff_s(attempt))

    async def _has_published(self, command: PreparedCommand, answer_s: float) -> bool:
        channel = await self._take_channel()
        answer: Any = None
        try:
            answer = await channel.publish(command, answer_s)
        finally:
            if isinstance(answer, Basic.Ack):
                self._idle.append(channel)
            else:
                channel.close()
        self._silent_channels = 0
        if isinstance(answer, Basic.Return):
            raise CallerError.of("NO_WORKER", command["id"])
        return isinstance(answer, Basic.Ack)

    async def _take_channel(self) -> _ConfirmingChannel:
        while self._idle:
            if (channel := self._idle.pop()).is_open:
                return channel
        return await _ConfirmingChannel(await self._connection.ready()).open()


class _ConfirmingChannel(Channel):
    """A channel that publishes at most one command at a time."""

    def __init__(self, amqp: Any) -> None:
        super().__init__(amqp)
        self._answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.amqp.add_on_return_callback(lambda _, method, *__: settle(self._answer, method))

    async def open(self) -> Self:
        await super().open()
        await self.call("confirm_delivery", lambda frame: settle(self._answer, frame.method))
        return self

    async def publish(self, command: PreparedCommand, answer_s: float) -> Any:
        """Returns the broker's answer: `Ack`, `Nack` if a queue is full or unavailable, `Return` if none is bound.

        After a return the channel cannot be reused, because the confirm of the returned command is still to arrive.
        """
        answer = self._answer = asyncio.get_running_loop().create_future()
        try:
            route = (command["exchange"], command["routingKey"])
            body = command["body"].encode()
            self.amqp.basic_publish(*route, body, _amqp_properties(command), mandatory=True)
        except (AMQPChannelError, AMQPConnectionError):
            raise
        except Exception:  # Nothing was sent, because pika encodes the whole message first.
            fault = "must be what AMQP can hold, ids and names of at most 255 bytes"
            raise CallerError.of_invalid("/properties", fault, command["id"]) from None
        return await self.first(answer, answer_s)


def _amqp_properties(command: PreparedCommand) -> Any:
    properties = command["properties"].items()
    snake_case = {re.sub("([A-Z])", r"_\1", name).lower(): value for name, value in properties}
    return pika.BasicProperties(**{**snake_case, "timestamp": int(time.time())})
