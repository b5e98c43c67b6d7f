"""Publishing, confirmed and mandatory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import pika

from .commands import PreparedCommand
from .connection import Connection
from .errors import CallerError

_OPEN_TIMEOUT_S: Final = 5.0
_LONGEST_ANSWER_S: Final = 8.0
_PAUSE_S: Final = 0.1
_CHANNELS_OF_A_NODE: Final = 4
"""Channels in a row without a confirm, after which another node is tried."""
_NOT_FOUND: Final = 404
_NOT_PERMITTED: Final = (403, 406)
"""Access refused, and a property that the broker does not accept."""


@dataclass(eq=False)
class Publish:
    """A command that is under way to the broker."""

    command: PreparedCommand
    answer_s: float
    """How long the next channel may take to confirm; twice as long at each try, for a busy broker."""
    settle: Callable[[CallerError | None], None]
    """Called once, in the thread of the connection: with None once the broker has confirmed it."""
    channel: Any = None


class Publisher:
    """Publishes commands over as many channels and connections as that takes.

    Its methods are called in the thread of the connection.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._amqp: Any = None
        self._channel: Any = None
        self._is_open = False
        self._silent_channels = 0
        self._under_way: list[Publish] = []
        self._by_tag: dict[int, Publish] = {}
        self._returned: set[str] = set()
        self._published = 0
        connection.run(lambda: connection.attach(self))

    def publish(self, publish: Publish) -> None:
        self._under_way.append(publish)
        if self._is_open:
            self._send(publish)

    def forget(self, publish: Publish) -> None:
        """Nobody waits for it any more."""
        if publish in self._under_way:
            self._under_way.remove(publish)

    def connected(self, amqp: Any) -> None:
        self._amqp = amqp
        self._open()

    def _open(self) -> None:
        self._is_open = False
        if not self._connection.is_current(self._amqp):
            return
        channel = self._channel = self._amqp.channel(on_open_callback=self._opened)
        channel.add_on_close_callback(self._closed)
        self._connection.later(_OPEN_TIMEOUT_S, lambda: self._check_open(channel))

    def _check_open(self, channel: Any) -> None:
        if channel is self._channel and not self._is_open:
            self._connection.reset(self._amqp, "a channel was not answered in time")

    def _opened(self, channel: Any) -> None:
        if channel is not self._channel:
            return
        self._by_tag, self._returned, self._published = {}, set(), 0
        channel.add_on_return_callback(self._take_back)
        channel.confirm_delivery(self._answered, lambda _frame: self._confirming(channel))

    def _confirming(self, channel: Any) -> None:
        if channel is not self._channel:
            return
        self._is_open = True
        for publish in list(self._under_way):
            self._send(publish)

    def _send(self, publish: Publish) -> None:
        channel = publish.channel = self._channel
        self._published += 1
        self._by_tag[self._published] = publish
        command = publish.command
        body = command["body"].encode()
        properties = _amqp_properties(command)
        channel.basic_publish(command["exchange"], command["routingKey"], body, properties, mandatory=True)
        self._connection.later(publish.answer_s, lambda: self._check_answer(publish, channel))

    def _check_answer(self, publish: Publish, channel: Any) -> None:
        """A channel that was opened while a queue had no leader may never confirm: another one does."""
        is_waiting = publish in self._under_way and publish.channel is channel
        if not is_waiting or channel is not self._channel:
            return
        if self._connection.is_blocked:
            self._connection.later(publish.answer_s, lambda: self._check_answer(publish, channel))
            return
        publish.answer_s = min(2 * publish.answer_s, _LONGEST_ANSWER_S)
        self._silent_channels += 1
        if self._silent_channels % _CHANNELS_OF_A_NODE == 0:
            self._connection.reset(self._amqp, "the node confirms nothing")
        else:
            self._replace(channel)

    def _take_back(self, channel: Any, _method: Any, properties: Any, _body: bytes) -> None:
        """No queue is bound. It comes before the confirm."""
        if channel is self._channel:
            self._returned.add(properties.message_id)

    def _answered(self, frame: Any) -> None:
        method = frame.method
        last = method.delivery_tag
        tags = [tag for tag in self._by_tag if tag <= last] if method.multiple else [last]
        for publish in [self._by_tag.pop(tag) for tag in tags if tag in self._by_tag]:
            if isinstance(method, pika.spec.Basic.Nack):
                # A queue that is full and rejects, or that cannot be reached over this channel.
                channel = publish.channel
                self._connection.later(_PAUSE_S, lambda: self._replace(channel))
                continue
            self._silent_channels = 0
            command_id = publish.command["properties"]["messageId"]
            is_returned = command_id in self._returned
            self._returned.discard(command_id)
            self._settle(publish, CallerError.of("NO_WORKER", command_id) if is_returned else None)

    def _closed(self, channel: Any, reason: Any) -> None:
        if channel is not self._channel:
            return
        self._is_open = False
        is_of_channel = isinstance(reason, pika.exceptions.ChannelClosedByBroker)
        code = reason.reply_code if is_of_channel else None
        for publish in list(self._by_tag.values()):
            failure = _failure(code, str(reason), publish.command["properties"]["messageId"])
            if failure is not None:
                self._settle(publish, failure)
        self._connection.later(_PAUSE_S, lambda: self._replace(channel))

    def _replace(self, channel: Any) -> None:
        """Opens another channel, over which all that is under way is sent again."""
        if channel is not self._channel:
            return
        self._channel = None
        if channel.is_open:
            channel.close()
        self._open()

    def _settle(self, publish: Publish, error: CallerError | None) -> None:
        if publish in self._under_way:
            self._under_way.remove(publish)
            publish.settle(error)


def _failure(code: int | None, reason: str, command_id: str) -> CallerError | None:
    """Why no further try can help; None if one may."""
    if code == _NOT_FOUND:
        return CallerError.of("NO_WORKER", command_id, reason)
    if code in _NOT_PERMITTED:
        return CallerError.of("NOT_PERMITTED", command_id, reason)
    return None


def _amqp_properties(command: PreparedCommand) -> Any:
    properties = command["properties"]
    return pika.BasicProperties(
        type=properties["type"],
        message_id=properties["messageId"],
        correlation_id=properties["correlationId"],
        reply_to=properties["replyTo"],
        content_type=properties["contentType"],
        delivery_mode=properties["deliveryMode"],
        app_id=properties["appId"],
        user_id=properties.get("userId"),
        headers=dict(properties["headers"]),
    )
