"""Replies: what they say, and who gets them."""

from __future__ import annotations

import json
import logging
import queue
import threading
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Iterator

from .connection import Connection
from .consumer import Delivery
from .errors import CallerError

LOG = logging.getLogger("poker_bridge")

_MAX_CALLS: Final = 10_000
_MAX_REMEMBERED: Final = 10_000
"""Replies by which a repeat is recognised; some 200 bytes each."""
_HANDLER_PAUSE_S: Final = 1.0
"""A handler that fails, most likely for its database, is asked again after it."""


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
    """Integers keep all their digits.

    Raises:
        CallerError: `REPLY_UNREADABLE`
    """
    properties = delivery.properties
    headers = properties.headers or {}
    command_id = command_id_of(delivery)
    data = _data_of(delivery, command_id)
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


def _data_of(delivery: Delivery, command_id: str) -> dict[str, Any]:
    try:
        data = json.loads(delivery.body)
    except ValueError:
        data = None
    if isinstance(data, dict):
        return data
    # What it holds is not repeated: it may be a token.
    raise CallerError.of("REPLY_UNREADABLE", command_id)


class Replies:
    """The replies in the queue of this instance: to the calls that await them, else to the handler."""

    def __init__(self, connection: Connection, handler: Callable[[Reply], None] | None) -> None:
        self._connection = connection
        self._handler = handler
        self._lock = threading.Lock()
        self._awaited: dict[str, Callable[[Delivery], None]] = {}
        self._handled: dict[str, None] = {}
        self._for_handler: queue.SimpleQueue[Delivery | None] = queue.SimpleQueue()
        self._is_closed = False
        if handler is not None:
            threading.Thread(target=self._handle, name="poker-bridge replies", daemon=True).start()

    @contextmanager
    def expected(self, command_id: str, take: Callable[[Delivery], None]) -> Iterator[None]:
        """While replies to a command are awaited; `take` gets them in the thread of the connection.

        Raises:
            CallerError: `ID_IN_USE`, `TOO_MANY_CALLS`
        """
        with self._lock:
            if command_id in self._awaited:
                raise CallerError.of("ID_IN_USE", command_id)
            if len(self._awaited) >= _MAX_CALLS:
                raise CallerError.of("TOO_MANY_CALLS", command_id)
            self._awaited[command_id] = take
        try:
            yield
        finally:
            with self._lock:
                del self._awaited[command_id]

    def close(self) -> None:
        """The handler gets nothing more; what it has not been given comes again to the next process."""
        self._is_closed = True
        self._for_handler.put(None)

    def take(self, delivery: Delivery) -> None:
        with self._lock:
            take = self._awaited.get(command_id_of(delivery))
        if take is not None:
            take(delivery)
            self._remember(delivery)
            delivery.acknowledge()
        elif self._handler is not None:
            self._for_handler.put(delivery)
        else:
            delivery.acknowledge()

    def _remember(self, delivery: Delivery) -> None:
        if self._handler is None:
            return
        try:
            self._mark(read_reply(delivery))
        except CallerError:
            pass

    def _handle(self) -> None:
        while (delivery := self._for_handler.get()) is not None and not self._is_closed:
            try:
                self._handle_once(delivery)
            except Exception as error:
                LOG.warning("on_reply failed with %s; the reply comes again", type(error).__name__)
                again = delivery.requeue
                self._connection.run(lambda: self._connection.later(_HANDLER_PAUSE_S, again))
            else:
                delivery.acknowledge()

    def _handle_once(self, delivery: Delivery) -> None:
        try:
            reply = read_reply(delivery)
        except CallerError:
            # It would come again for ever.
            return
        if self._handler is None or reply.id in self._handled:
            return
        self._handler(reply)
        self._mark(reply)

    def _mark(self, reply: Reply) -> None:
        self._handled[reply.id] = None
        if len(self._handled) > _MAX_REMEMBERED:
            self._handled.pop(next(iter(self._handled)), None)
