"""Consumers of reply queues, which are declared and consumed again after every failure."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from .connection import Channel
from .upkeep import Upkeep

_PAUSE_S: Final = 0.2
_PAUSE_IF_REFUSED_S: Final = 5.0
_LOOK_S: Final = 2.0
_NO_LIMIT: Final = 1_000_000_000


@dataclass(frozen=True)
class Delivery:
    """A message to acknowledge or requeue. If its channel closes before that, the broker redelivers it."""

    properties: Any
    body: bytes
    _settle: Callable[[str], None]

    def acknowledge(self) -> None:
        self._settle("basic_ack")

    def requeue(self) -> None:
        self._settle("basic_nack")


class Consumer(Upkeep[str]):
    """Consumes one reply queue, and resumes on a new channel or connection after a failure.

    It is open once consuming has started. From then on replies can be sent to the queue, even while it reconnects.
    """

    def __init__(
        self,
        claim: Callable[[], Awaitable[tuple[Channel, str]]],
        *,
        arguments: Mapping[str, Any],
        prefetch: int,
        on_delivery: Callable[[Delivery], None],
        on_moved: Callable[[], None] = lambda: None,
    ) -> None:
        """
        Args:
            claim: returns a channel, and the name of the queue claimed by its connection
            arguments: queue arguments in addition to those of every reply queue
            on_moved: called when the consumer has switched to another queue
        """
        super().__init__("replies are not received")
        self._claim = claim
        self._arguments = {"x-queue-type": "quorum", "x-delivery-limit": _NO_LIMIT, **arguments}
        self._prefetch = prefetch
        self._on_delivery = on_delivery
        self._on_moved = on_moved
        self._channel: Channel | None = None
        self._deliveries = 0
        self._unacknowledged = 0

    async def serve(self) -> None:
        """Consumes until it is cancelled; unacknowledged messages then return to the queue."""
        while True:
            try:
                await self._consume()
            except Exception as error:
                self._failed(error)
            finally:
                if self._channel is not None:
                    self._channel.close()
            await asyncio.sleep(_PAUSE_S if self._refusal is None else _PAUSE_IF_REFUSED_S)

    async def _consume(self) -> None:
        channel, queue = await self._claim()
        self._channel = channel
        await channel.call("queue_declare", queue, durable=True, arguments=self._arguments)
        self._unacknowledged = 0
        await channel.call("basic_qos", prefetch_count=self._prefetch)

        def deliver(_channel: Any, method: Any, properties: Any, body: bytes) -> None:
            self._deliveries += 1
            self._unacknowledged += 1
            self._on_delivery(Delivery(properties, body, partial(self._settle, channel, method.delivery_tag)))

        await channel.call("basic_consume", queue, deliver)
        before = self._value
        self._opened(queue)
        if before not in (None, queue):
            self._on_moved()
        await self._watch(channel, queue)

    def _settle(self, channel: Channel, tag: int, method: str) -> None:
        if channel.is_open:
            getattr(channel.amqp, method)(tag)
            self._unacknowledged -= 1

    async def _watch(self, channel: Channel, queue: str) -> None:
        """Raises the reason when the channel closes, or ConnectionError if the consumer is stuck.

        It is stuck if two checks in a row find replies but none arrives. This occurs if consuming started during a
        leader election.
        """
        before: int | None = None
        while not (await asyncio.wait((channel.closed,), timeout=_LOOK_S))[0]:
            has_room = self._unacknowledged < self._prefetch
            received = self._deliveries
            answer = await channel.call("queue_declare", queue, passive=True)
            is_waiting = has_room and answer.message_count > 0 and self._deliveries == received
            if is_waiting and before == received:
                raise ConnectionError("replies wait, and none comes")
            before = received if is_waiting else None
        raise channel.closed.result()
