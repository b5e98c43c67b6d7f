"""Reports, which are read while the worker fetches them."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import suppress
from decimal import Decimal
from typing import Any, Final, Generic, TypeVar, cast

from .bus import Bus
from .call import Call, read_success
from .cancellation import Cancellation
from .commands import PreparedCommand
from .connection import Channel
from .consumer import Consumer, Delivery
from .errors import CallerError
from .messages import ReportCompleted, ReportPage

R = TypeVar("R")

_PAGES_PREFETCHED: Final = 4
"""The maximum number of pages in this process; each may have several MiB."""
_PAGES_QUEUED: Final = 16
"""The maximum number of pages at the broker. The worker continues when the queue has room."""
_QUEUE_EXPIRES_MS: Final = 300_000
"""Removes the queue of a reader that died. Longer than the worker waits for room in the queue."""
_LEAVE_TIMEOUT_S: Final = 2.0
_ARGUMENTS: Final = {"x-max-length": _PAGES_QUEUED, "x-overflow": "reject-publish", "x-expires": _QUEUE_EXPIRES_MS}


def format_amount(amount: int, precision: int | None) -> str:
    """Writes an amount in minor units as a decimal, digit for digit: 28831 with 2 decimals is `288.31`.

    Take the precision of the currency from `page["precisions"]`. Raises ValueError if it is None.
    """
    if not isinstance(precision, int) or isinstance(precision, bool) or precision < 0:
        raise ValueError("the currency has no configured number of decimals (CURRENCY_PRECISIONS)")
    return f"{Decimal(f'{amount}e-{precision}'):f}"


class Report(Generic[R]):
    """A report that is fetched when it is read: by `for page in report` or `report.records()`, once.

    A page is acknowledged after the loop's body, so that a slow reader slows the worker down and uses little memory.
    """

    summary: ReportCompleted | None = None
    """The data of `report.completed`; None until all pages have been read."""

    def __init__(
        self, bus: Bus, prepare: Callable[[], PreparedCommand], deadline_ms: float, cancellation: Cancellation | None
    ) -> None:
        self._bus = bus
        self._prepare = prepare
        self._queue = f"{bus.sender.app_id}.report.{uuid.uuid4()}"
        self._deadline_ms = deadline_ms
        self._cancellation = cancellation
        self._is_read = False
        self._sequence = 0
        self._total_counts: set[int] = set()
        """The totals of all pages; several if the report changed between two runs."""
        self._read_from: str | None = None

    def __iter__(self) -> Iterator[ReportPage[R]]:
        """Reads the pages; raises CallerError, CancelledError, or RuntimeError if it was read before."""
        if self._is_read:
            raise RuntimeError("a report is read once: fetch it again")
        self._is_read = True
        return self._read()

    def records(self) -> Iterator[R]:
        """Returns an iterator over the records of all pages; raises as the loop over pages."""
        return (record for page in iter(self) for record in page["records"])

    def _read(self) -> Iterator[ReportPage[R]]:
        # The deadline starts with the first read.
        command = self._prepare()
        pages = self._pages(command)
        try:
            while page := self._bus.run(lambda: anext(pages, None), self._cancellation, command["id"]):
                yield page
        finally:
            with suppress(CallerError):
                self._bus.run(lambda: _close(pages), None)

    async def _pages(self, command: PreparedCommand) -> AsyncGenerator[ReportPage[R], None]:
        command["properties"]["headers"]["x-cancel-with-queue"] = True
        call = Call(self._bus, command, self._deadline_ms)
        take = call.arrived.put_nowait
        consumer = Consumer(self._claim, arguments=_ARGUMENTS, prefetch=_PAGES_PREFETCHED, on_delivery=take)
        consuming = asyncio.create_task(consumer.serve())

        async def leave() -> None:
            consuming.cancel()
            with suppress(Exception):
                async with asyncio.timeout(_LEAVE_TIMEOUT_S):
                    await asyncio.wait((consuming,))
                    channel = await self._bus.incoming.channel()
                    await channel.call("queue_delete", self._queue)
                    channel.close()

        self._bus.leaving.add(leave)
        try:
            while self.summary is None:
                delivery, page = await call.next(consumer, self._read_page)
                if page is not None:
                    yield page
                    self._sequence += 1
                delivery.acknowledge()
        finally:
            # This cancels a report that has not ended. If it fails, the queue expires.
            await leave()
            self._bus.leaving.discard(leave)

    async def _claim(self) -> tuple[Channel, str]:
        return await self._bus.incoming.channel(), self._queue

    def _read_page(self, delivery: Delivery) -> tuple[Delivery, ReportPage[R] | None]:
        """Returns the delivery and its page; None for the end, and for a page that was already read."""
        try:
            reply = read_success(delivery)
            if reply.type not in ("report.page", "report.completed"):
                raise CallerError.of("REPLY_UNREADABLE", reply.command_id)
            if reply.sequence > self._sequence:
                raise CallerError.of("REPLY_LOST", reply.command_id)
        except CallerError:
            delivery.acknowledge()
            raise
        self._total_counts.add(reply.data["totalCount"])
        if reply.type == "report.completed":
            self.summary = self._summary_of(cast(ReportCompleted, reply.data))
            return delivery, None
        if reply.sequence < self._sequence:
            return delivery, None
        self._read_from = self._read_from or reply.data.get("readAt")
        return delivery, cast(ReportPage[R], reply.data)

    def _summary_of(self, completed: ReportCompleted) -> ReportCompleted:
        """Corrects the summary of the last run by the pages of earlier runs, which the reader got before."""
        completed["changedWhileReading"] |= len(self._total_counts) > 1
        if self._read_from is not None:
            completed["readFrom"] = self._read_from
            completed["spansIntervals"] = _interval_of(self._read_from) != _interval_of(completed["readTo"])
        return completed


def _interval_of(time: str) -> str:
    """Returns the ten-minute interval of a time, such as `2026-03-02T00:2`. Workers write times in UTC."""
    return time[:15]


async def _close(pages: AsyncGenerator[Any, None]) -> None:
    # A cancelled step ends only in a later iteration of the loop.
    while pages.ag_running:
        await asyncio.sleep(0)
    await pages.aclose()
