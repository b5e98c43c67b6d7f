"""Reads replies and passes them to calls or to the handler."""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Iterator

from .consumer import Delivery
from .errors import CallerError
from .upkeep import LOG

_MAX_CALLS: Final = 10_000
_MAX_REMEMBERED: Final = 10_000
"""The number of reply ids kept to recognise repeats, about 200 bytes each."""
_HANDLER_PAUSE_S: Final = 1.0
"""The delay before a reply is redelivered to a handler that failed, most likely because of its database."""


@dataclass(frozen=True)
class Reply:
    """A reply, with the ids of its command."""

    id: str
    """Unique to this reply and the same at each redelivery, so that an inbox can drop repeats."""
    type: str
    data: dict[str, Any]
    command_id: str
    correlation_id: str
    sequence: int
    """The position among the replies to one command, from 0."""
    is_final: bool
    traceparent: str | None


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _are_objects(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _are_violations(value: object) -> bool:
    return isinstance(value, list) and all(_is_text(item["pointer"]) and _is_text(item["message"]) for item in value)


def _optional(check: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: value is None or check(value)


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


_FAILURE: Final = {
    **dict.fromkeys(("code", "category", "message", "occurredAt"), _is_text),
    "retryable": _is_flag,
    "retryAfterMs": _optional(_is_count),
    "violations": _optional(_are_violations),
    **dict.fromkeys(("details", "platform"), _optional(_is_object)),
}
_PAGE: Final = {"page": _is_count, "totalCount": _is_count, "readAt": _is_text, "records": _are_objects}
_COMPLETED: Final = {
    "totalCount": _is_count,
    "changedWhileReading": _is_flag,
    **dict.fromkeys(("readFrom", "readTo"), _is_text),
}
_MEMBERS: Final[Mapping[str, Mapping[str, Callable[[object], bool]]]] = {
    "session.created": {"userId": _is_text},
    "game.opened": {"url": _is_text},
    "report.page": _PAGE,
    "report.completed": _COMPLETED,
    "command.failed": _FAILURE,
}
"""The members that callers and this library rely on. Types not listed may have any members."""


def read_reply(delivery: Delivery) -> Reply:
    """Returns a reply, with all digits of its integers; raises CallerError `REPLY_UNREADABLE` for any other
    message.
    """
    try:
        return _read(delivery)
    except Exception:
        # The message is not quoted: it may contain a token.
        raise CallerError.of("REPLY_UNREADABLE", command_id_of(delivery)) from None


def _read(delivery: Delivery) -> Reply:
    """Returns a reply; raises any error, even RecursionError, if the message is not a reply."""
    properties = delivery.properties
    headers = properties.headers or {}
    data = json.loads(delivery.body.decode(), parse_constant=_reject)
    sequence = headers.get("sequence", 0)
    texts = (properties.type, properties.message_id)
    members = _MEMBERS.get(properties.type, {})
    is_valid = isinstance(data, dict) and all(check(data.get(name)) for name, check in members.items())
    if not (is_valid and _is_count(sequence) and all(map(_is_text, texts))):
        raise ValueError("not a reply")
    occurred_at = f" {data['occurredAt']}" if properties.type == "command.failed" else ""
    traceparent = headers.get("traceparent")
    return Reply(
        id=f"{properties.message_id} {properties.type}{occurred_at}",
        type=properties.type,
        data=data,
        command_id=command_id_of(delivery),
        correlation_id=_text(properties.correlation_id),
        sequence=sequence,
        is_final=headers.get("final") is True,
        traceparent=traceparent if isinstance(traceparent, str) else None,
    )


def _reject(constant: str) -> None:
    raise ValueError(f"not JSON: {constant}")


def command_id_of(delivery: Delivery) -> str:
    """Returns the id of the command that a message answers; an empty string if the message names none."""
    headers = delivery.properties.headers or {}
    return _text(headers.get("command-id")) or _text(delivery.properties.correlation_id)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


class Replies:
    """Passes the replies of this process to the calls that await them, or else to the handler."""

    def __init__(self, handler: Callable[[Reply], None] | None) -> None:
        self._handler = handler
        self._calls = 0
        self._awaited: dict[str, asyncio.Queue[Delivery | None]] = {}
        self._handled: dict[str, None] = {}
        self._for_handler: asyncio.Queue[tuple[Delivery, Reply]] = asyncio.Queue()

    @contextmanager
    def counted(self, command_id: str) -> Iterator[None]:
        """Counts a call inside the `with` block; raises CallerError `TOO_MANY_CALLS`."""
        if self._calls >= _MAX_CALLS:
            raise CallerError.of("TOO_MANY_CALLS", command_id)
        self._calls += 1
        try:
            yield
        finally:
            self._calls -= 1

    @contextmanager
    def expected(self, command_id: str, arrived: asyncio.Queue[Delivery | None]) -> Iterator[None]:
        """Passes replies to the command to `arrived` inside the `with` block; None if it must be sent again.
        """
        self._awaited[command_id] = arrived
        try:
            yield
        finally:
            del self._awaited[command_id]

    def take(self, delivery: Delivery) -> None:
        arrived = self._awaited.get(command_id_of(delivery))
        if arrived is not None:
            arrived.put_nowait(delivery)
        try:
            reply = read_reply(delivery)
        except CallerError as error:
            # Acknowledged all the same, because the broker would otherwise redeliver it endlessly.
            LOG.warning("unreadable reply discarded; command id %r", error.command_id)
        else:
            if arrived is None and self._handler is not None:
                return self._for_handler.put_nowait((delivery, reply))
            self._mark(reply)
        delivery.acknowledge()

    def moved(self) -> None:
        """Tells all calls to send their commands again, because the reply queue has changed."""
        for arrived in self._awaited.values():
            arrived.put_nowait(None)

    async def handle(self) -> None:
        """Calls the handler in a thread with each reply that no call awaits, one by one, until cancelled."""
        while True:
            delivery, reply = await self._for_handler.get()
            try:
                if self._handler is not None and reply.id not in self._handled:
                    await asyncio.to_thread(_call, self._handler, reply)
                    self._mark(reply)
            except Exception as error:
                LOG.warning("on_reply failed with %s; the reply comes again", error)
                asyncio.get_running_loop().call_later(_HANDLER_PAUSE_S, delivery.requeue)
            else:
                delivery.acknowledge()

    def _mark(self, reply: Reply) -> None:
        self._handled[reply.id] = None
        if len(self._handled) > _MAX_REMEMBERED:
            self._handled.pop(next(iter(self._handled)), None)


def _call(handler: Callable[[Reply], None], reply: Reply) -> None:
    """Calls the handler; raises any exception as RuntimeError: SystemExit, for example, would end the event
    loop.
    """
    try:
        handler(reply)
    except BaseException as error:
        raise RuntimeError(type(error).__name__) from error
