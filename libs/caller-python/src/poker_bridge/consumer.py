"""Reply queues, kept declared and consumed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from .connection import Connection

_FIRST_TIMEOUT_S: Final = 2.0
_LONGEST_TIMEOUT_S: Final = 8.0
_PAUSE_S: Final = 0.2
_LOOK_S: Final = 2.0
_NO_LIMIT: Final = 1_000_000_000


class Delivery:
    """A message, and what tells the broker that it is done with; for any thread."""

    def __init__(self, consumer: Consumer, channel: Any, tag: int, properties: Any, body: bytes) -> None:
        self.properties = properties
        self.body = body
        self._consumer = consumer
        self._channel = channel
        self._tag = tag

    def acknowledge(self) -> None:
        self._consumer.settle(self._channel, lambda: self._channel.basic_ack(self._tag))

    def requeue(self) -> None:
        self._consumer.settle(self._channel, lambda: self._channel.basic_nack(self._tag))


class Consumer:
    """Consumes one reply queue, over as many channels and connections as that takes."""

    def __init__(
        self,
        connection: Connection,
        queue: str,
        *,
        arguments: Mapping[str, Any],
        prefetch: int,
        on_delivery: Callable[[Delivery], None],
    ) -> None:
        """Begins at once.

        Args:
            arguments: beside those of every reply queue: durable, quorum, without a limit of deliveries
            on_delivery: called in the thread of the connection
        """
        self.last_error: str | None = None
        """Why the queue is not consumed."""
        self.queue = queue
        self._connection = connection
        self._arguments = {"x-queue-type": "quorum", "x-delivery-limit": _NO_LIMIT, **arguments}
        self._prefetch = prefetch
        self._on_delivery = on_delivery
        self._amqp: Any = None
        self._channel: Any = None
        self._is_serving = False
        self._is_closed = False
        self._was_ready = False
        self._when_ready: list[Callable[[], None]] = []
        self._timeout_s = _FIRST_TIMEOUT_S
        self._deliveries = 0
        self._unacknowledged = 0
        connection.run(lambda: connection.attach(self))

    def when_ready(self, work: Callable[[], None]) -> None:
        """Calls once the queue has been consumed for the first time, so that replies can be sent to it; any thread."""
        self._connection.run(lambda: work() if self._was_ready else self._when_ready.append(work))

    def close(self, *, deletes_queue: bool) -> None:
        """For any thread. What was delivered and not acknowledged returns to the queue."""
        self._connection.run(lambda: self._close(deletes_queue))

    def settle(self, channel: Any, how: Callable[[], Any]) -> None:
        """Acknowledges on the channel that delivered, for any thread; what a lost channel delivered comes again."""
        self._connection.run(lambda: self._settle(channel, how))

    def connected(self, amqp: Any) -> None:
        self._amqp = amqp
        self._open()

    def _open(self) -> None:
        self._is_serving = False
        if self._is_closed or not self._connection.is_current(self._amqp):
            return
        channel = self._channel = self._amqp.channel(on_open_callback=self._declare)
        channel.add_on_close_callback(lambda _, reason: self._retry(channel, str(reason)))
        channel.add_on_cancel_callback(lambda _: self._retry(channel, "the broker has cancelled the consumer"))
        # A channel that hangs on a queue without a leader still hangs after the election.
        self._connection.later(self._timeout_s, lambda: self._check_serving(channel))

    def _check_serving(self, channel: Any) -> None:
        if channel is self._channel and not self._is_serving:
            self._timeout_s = min(2 * self._timeout_s, _LONGEST_TIMEOUT_S)
            self._retry(channel, "the reply queue was not answered in time")

    def _declare(self, channel: Any) -> None:
        if channel is self._channel:
            declared: Callable[[Any], None] = lambda frame: self._declared(channel, frame.method)
            channel.queue_declare(self.queue, durable=True, arguments=self._arguments, callback=declared)

    def _declared(self, channel: Any, answer: Any) -> None:
        if channel is not self._channel:
            return
        # The broker may take a minute to forget the consumer of a dead node, so only the first declaration looks.
        if not self._was_ready and answer.consumer_count > 0:
            self._retry(channel, f"another process consumes {self.queue}: give each instance a name of its own")
            return
        self._unacknowledged = 0
        channel.basic_qos(prefetch_count=self._prefetch, callback=lambda _: self._consume(channel))

    def _consume(self, channel: Any) -> None:
        if channel is self._channel:
            channel.basic_consume(self.queue, self._deliver, callback=lambda _: self._serve(channel))

    def _serve(self, channel: Any) -> None:
        if channel is not self._channel:
            return
        self._is_serving = self._was_ready = True
        self._timeout_s = _FIRST_TIMEOUT_S
        self.last_error = None
        waiting, self._when_ready = self._when_ready, []
        for work in waiting:
            work()
        self._look_later(channel, None)

    def _deliver(self, channel: Any, method: Any, properties: Any, body: bytes) -> None:
        if channel is self._channel:
            self._deliveries += 1
            self._unacknowledged += 1
            self._on_delivery(Delivery(self, channel, method.delivery_tag, properties, body))

    def _settle(self, channel: Any, how: Callable[[], Any]) -> None:
        if channel is self._channel and channel.is_open:
            how()
            self._unacknowledged -= 1

    def _look_later(self, channel: Any, before: int | None) -> None:
        self._connection.later(_LOOK_S, lambda: self._look(channel, before))

    def _look(self, channel: Any, before: int | None) -> None:
        """A consumer that began during an election may never be given anything: two looks at what waits tell."""
        if channel is not self._channel or not channel.is_open:
            return
        if self._unacknowledged >= self._prefetch:
            self._look_later(channel, None)
            return
        received = self._deliveries

        def compare(frame: Any) -> None:
            is_waiting = frame.method.message_count > 0 and self._deliveries == received
            if is_waiting and before == received:
                self._retry(channel, "replies wait, and none comes")
            else:
                self._look_later(channel, received if is_waiting else None)

        channel.queue_declare(self.queue, passive=True, callback=compare)

    def _retry(self, channel: Any, reason: str) -> None:
        if channel is not self._channel:
            return
        self.last_error = reason
        self._leave()
        self._connection.later(_PAUSE_S, lambda: None if self._channel else self._open())

    def _leave(self) -> None:
        channel, self._channel = self._channel, None
        self._is_serving = False
        if channel is not None and channel.is_open:
            channel.close()

    def _close(self, deletes_queue: bool) -> None:
        self._is_closed = True
        self._connection.detach(self)
        channel = self._channel
        if deletes_queue and channel is not None and channel.is_open:
            self._channel = None
            channel.queue_delete(self.queue, callback=lambda _: channel.close())
        else:
            self._leave()
