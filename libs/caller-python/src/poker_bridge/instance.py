"""Claims the reply queue of this process."""

import asyncio
from typing import Final

from pika.exceptions import ChannelClosedByBroker

from .connection import Channel, Connection
from .errors import CallerError
from .upkeep import LOG

_RESOURCE_LOCKED: Final = 405
_PAUSES_S: Final = (0.0, 0.2, 0.4, 0.8)
"""Pauses before each attempt to lock: the broker may notice late that a previous connection is gone."""


class Instance:
    """Claims a reply queue for this process: `<name>.replies.<instance>`.

    A quorum queue allows any number of consumers, so the owner holds a lock: the exclusive queue `<reply queue>.lock`,
    which the broker deletes with the consuming connection. By default the instance is the lowest free number, so that
    a restarted process finds its queue.
    """

    def __init__(self, connection: Connection, name: str, instance: str | None) -> None:
        self._is_fixed = instance is not None
        self.queue: str | None = f"{name}.replies.{instance}" if instance is not None else None
        self._connection = connection
        self._name = name
        self._was_claimed = False

    async def claim(self) -> tuple[Channel, str]:
        """Returns a channel of the connection that holds the lock, and the name of the queue.

        If another connection holds the lock of a configured instance, the first claim raises CallerError
        `INSTANCE_TAKEN`; a claim after a reconnect raises ConnectionError.
        """
        if self.queue is not None:
            for pause in _PAUSES_S:
                await asyncio.sleep(pause)
                if (channel := await self._lock(self.queue)) is not None:
                    self._was_claimed = True
                    return channel, self.queue
        if self._is_fixed and self._was_claimed:
            raise ConnectionError(f"another connection holds {self.queue}")
        if self._is_fixed:
            raise CallerError.of("INSTANCE_TAKEN", hint=f"It holds {self.queue}.")
        number = 0
        while (channel := await self._lock(queue := f"{self._name}.replies.{number}")) is None:
            number += 1
        LOG.info("replies come to %s", queue)
        self.queue = queue
        return channel, queue

    async def _lock(self, queue: str) -> Channel | None:
        channel = await self._connection.channel()
        try:
            await channel.call("queue_declare", f"{queue}.lock", exclusive=True)
        except ChannelClosedByBroker as error:
            if error.reply_code != _RESOURCE_LOCKED:
                raise
            return None
        return channel
