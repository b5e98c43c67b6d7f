"""Reports, read while they are fetched."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any, Final, Generic, TypeVar, cast

from .attempts import Attempts, Bus
from .cancellation import Cancellation
from .commands import PreparedCommand
from .consumer import Consumer
from .errors import CallerError
from .messages import ErrorBody, ReportCompleted, ReportPage
from .replies import Reply, read_reply

R = TypeVar("R")

_PAGES_PREFETCHED: Final = 4
"""Pages in this process; each may be some MiB."""
_PAGES_QUEUED: Final = 16
"""Pages that wait at the broker. The worker reads on when there is room."""
_QUEUE_EXPIRES_MS: Final = 300_000
"""A reader that was left may leave pages: they go with the queue. Longer than the worker waits for room."""


class Report(Generic[R]):
    """Pages by `for page in report`, or records by `report.records()`, once; fetched with the first of them.

    A page is acknowledged after the loop's body, so that a slow reader slows the worker down and holds no memory.
    """

    summary: ReportCompleted | None = None
    """What the worker counted; None until the loop has ended."""

    def __init__(
        self,
        bus: Bus,
        prepare: Callable[[str], PreparedCommand],
        queue_prefix: str,
        deadline_ms: float,
        cancellation: Cancellation | None = None,
    ) -> None:
        """Made by `Caller`.

        Args:
            prepare: gives the command with the reply queue that is named
        """
        self._bus = bus
        self._prepare = prepare
        self._queue = f"{queue_prefix}report.{uuid.uuid4()}"
        self._deadline_ms = deadline_ms
        self._cancellation = cancellation
        self._is_read = False
        self._sequence = 0
        self._total_count: int | None = None
        self._has_changed = False

    def __iter__(self) -> Iterator[ReportPage[R]]:
        """
        Raises:
            CallerError: as the worker answers, or `NO_WORKER`, `NOT_SENT`, `NO_REPLY`, `REPLY_LOST`, …
            CancelledError: it was cancelled
        """
        if self._is_read:
            raise RuntimeError("a report is read once: fetch it again")
        self._is_read = True
        return self._pages()

    def records(self) -> Iterator[R]:
        """Each record of each page."""
        for page in self:
            yield from page["records"]

    def _pages(self) -> Iterator[ReportPage[R]]:
        # The deadline begins with the first look.
        command = self._prepare(self._queue)
        attempts = Attempts(self._bus, command, self._deadline_ms, self._cancellation)
        consumer = Consumer(
            self._bus.connection,
            self._queue,
            arguments={
                "x-max-length": _PAGES_QUEUED,
                "x-overflow": "reject-publish",
                "x-expires": _QUEUE_EXPIRES_MS,
            },
            prefetch=_PAGES_PREFETCHED,
            on_delivery=attempts.take,
        )
        try:
            with attempts:
                while self.summary is None:
                    try:
                        attempts.send(consumer)
                        yield from self._pages_of_one_run(attempts)
                    except CallerError as error:
                        attempts.pause_after(error)
        finally:
            # A queue that is gone has its pages parked at the worker's; one that is full stops them.
            consumer.close(deletes_queue=self.summary is not None)

    def _pages_of_one_run(self, attempts: Attempts) -> Iterator[ReportPage[R]]:
        while self.summary is None:
            delivery = attempts.next_reply()
            reply = read_reply(delivery)
            if reply.type == "command.failed":
                delivery.acknowledge()
                raise CallerError.of_reply(cast(ErrorBody, reply.data))
            if reply.type not in ("report.page", "report.completed"):
                delivery.acknowledge()
                raise CallerError.of("REPLY_UNREADABLE", reply.command_id)
            if self._is_next(reply):
                if reply.type == "report.page":
                    yield cast(ReportPage[R], reply.data)
                else:
                    self.summary = self._completed(reply.data)
            delivery.acknowledge()
            if reply.sequence > self._sequence:
                raise CallerError.of("REPLY_LOST", reply.command_id)
            if reply.type == "report.page" and reply.sequence == self._sequence:
                self._sequence += 1

    def _is_next(self, reply: Reply) -> bool:
        """What a redelivery or a second run repeats is dropped, but for the end."""
        total_count = reply.data["totalCount"]
        if self._total_count is None:
            self._total_count = total_count
        self._has_changed = self._has_changed or total_count != self._total_count
        if reply.type == "report.completed":
            return reply.sequence <= self._sequence
        return reply.sequence == self._sequence

    def _completed(self, data: dict[str, Any]) -> ReportCompleted:
        summary = cast(ReportCompleted, data)
        summary["changedWhileReading"] = summary["changedWhileReading"] or self._has_changed
        return summary
