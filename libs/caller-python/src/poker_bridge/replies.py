"""Replies: what they say, and who gets them."""

import asyncio
import json
from collections.abc import Callable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final, Iterator

from .consumer import Delivery
from .errors import CallerError
from .upkeep import LOG

_MAX_CALLS: Final = 10_000
_MAX_REMEMBERED: Final = 10_000
"""Replies by which a repeat is recognised; some 200 bytes each."""
_HANDLER_PAUSE_S: Final = 1.0
"""Before a handler that failed, most likely because of its database, gets the reply again."""


@dataclass(frozen=True)
class Reply:
    """One reply, and where it belongs."""

    id: str
    """The same whenever this reply is delivered again, and of no other reply, so that an inbox can drop repeats by it."""
    type: str
    data: dict[str, Any]
    command_id: str
    correlation_id: str
    sequence: int
    """From 0, within the replies to one command."""
    is_final: bool
    traceparent: str | None


def read_reply(delivery: Delivery) -> Reply:
    """Integers keep all their digits; raises CallerError `REPLY_UNREADABLE`."""
    properties = delivery.properties
    headers = properties.headers or {}
    command_id = command_id_of(delivery)
    try:
        data = json.loads(delivery.body)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        # What it holds is not repeated: it may be a token.
        raise CallerError.of("REPLY_UNREADABLE", command_id)
    occurred_at = f" {data.get('occurredAt')}" if properties.type == "command.failed" else ""
    return Reply(
        id=f"{properties.message_id} {properties.type}{occurred_at}",
        type=str(properties.type),
        data=data,
        command_id=command_id,
        correlation_id=str(properties.correlation_id),
        sequence=int(headers.get("sequence", 0)),
        is_final=headers.get("final") is True,
        traceparent=headers.get("traceparent"),
    )


def command_id_of(delivery: Delivery) -> str:
    """Which command a message answers."""
    headers = delivery.properties.headers or {}
    return str(headers.get("command-id", delivery.properties.correlation_id))


class Replies:
    """The replies in the queue of this process: to the calls that await them, else to the handler."""

    def __init__(self, handler: Callable[[Reply], None] | None) -> None:
        self._handler = handler
        self._awaited: dict[str, asyncio.Queue[Delivery | None]] = {}
        self._handled: dict[str, None] = {}
        self._for_handler: asyncio.Queue[tuple[Delivery, Reply]] = asyncio.Queue()

    @contextmanager
    def expected(self, command_id: str, arrived: asyncio.Queue[Delivery | None]) -> Iterator[None]:
        """While replies to a command are awaited: the queue gets them, or None if the command has to be sent again."""
        if command_id in self._awaited:
            raise CallerError.of("ID_IN_USE", command_id)
        if len(self._awaited) >= _MAX_CALLS:
            raise CallerError.of("TOO_MANY_CALLS", command_id)
        self._awaited[command_id] = arrived
        try:
            yield
        finally:
            del self._awaited[command_id]

    def take(self, delivery: Delivery) -> None:
        arrived = self._awaited.get(command_id_of(delivery))
        if arrived is not None:
            arrived.put_nowait(delivery)
        with suppress(CallerError):  # What cannot be read would come again for ever.
            reply = read_reply(delivery)
            if arrived is None and self._handler is not None:
                return self._for_handler.put_nowait((delivery, reply))
            self._mark(reply)
        delivery.acknowledge()

    def moved(self) -> None:
        """Replies come to another queue from now on."""
        for arrived in self._awaited.values():
            arrived.put_nowait(None)

    async def handle(self) -> None:
        """Gives the handler what no call awaits, one at a time and in a thread, until it is cancelled."""
        while True:
            delivery, reply = await self._for_handler.get()
            try:
                if self._handler is not None and reply.id not in self._handled:
                    await asyncio.to_thread(self._handler, reply)
                    self._mark(reply)
            except Exception as error:
                LOG.warning("on_reply failed with %s; the reply comes again", type(error).__name__)
                asyncio.get_running_loop().call_later(_HANDLER_PAUSE_S, delivery.requeue)
            else:
                delivery.acknowledge()

    def _mark(self, reply: Reply) -> None:
        self._handled[reply.id] = None
        if len(self._handled) > _MAX_REMEMBERED:
            self._handled.pop(next(iter(self._handled)), None)
