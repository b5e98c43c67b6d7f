"""The caller: one method a command."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Final, NamedTuple, cast

from .addresses import nodes_of
from .bus import Bus
from .call import FIRST_ANSWER_S, answer
from .cancellation import Cancellation
from .commands import PreparedCommand, Sender
from .errors import CallerCode, CallerError
from .messages import (
    AdHocRecord,
    AdHocReportFetch,
    GameOpen,
    GameOpened,
    RakeRecord,
    RakeReportFetch,
    SessionCreate,
    SessionCreated,
)
from .replies import Reply
from .report import Report

_DEADLINE_MS: Final = 15_000
_REPORT_DEADLINE_MS: Final = 600_000


class _Options(NamedTuple):
    command_id: str | None = None
    operator: str | None = None
    deadline_ms: float = _DEADLINE_MS
    cancellation: Cancellation | None = None


class Caller:
    """Sends commands to poker-bridge and gives typed replies; for any number of threads.

    It connects in the background, in a thread of its own, and reconnects for as long as it is open. A process that forks
    makes its caller after that.

    Every call takes `command_id` (at most 200 bytes: the same id is the same command; default a new UUID), `operator`
    (default that of the caller), `deadline_ms` (1 to 1,200,000; a call ends at most 1.5 s later) and `cancellation`, which
    ends it from another thread: it raises `concurrent.futures.CancelledError`.
    """

    def __init__(
        self,
        url: str | Sequence[str],
        name: str,
        *,
        instance: str | None = None,
        prefix: str = "poker",
        operator: str | None = None,
        send_user_id: bool = False,
        ssl_context: ssl.SSLContext | None = None,
        trace_context: Callable[[], Mapping[str, str]] | None = None,
        on_reply: Callable[[Reply], None] | None = None,
    ) -> None:
        """
        Args:
            url: nodes of one cluster, comma separated or as a sequence
            name: your service; its reply queues begin with this name and a dot
            instance: unique among the processes that run at a time, the same after a restart; default the lowest number
                that no other process of this name has
            prefix: the workers' `AMQP_PREFIX`
            operator: whose credentials the worker uses; default that of the worker
            send_user_id: name the broker user, for `CALLERS_FILE`
            ssl_context: for `amqps`: a private authority, a client certificate
            trace_context: gives `traceparent` and `tracestate` of each command
            on_reply: takes, in a thread of its own, each reply that no call awaits; without it they are dropped

        Raises ValueError for a URL or a name that cannot be used.
        """
        if not name or instance == "":
            raise ValueError("name and instance must not be empty")
        if f"{name}.".startswith(f"{prefix}."):
            raise ValueError(f"name must not be {prefix}: queues under it are the workers' own")
        nodes = nodes_of(url, f"{name} caller", ssl_context)
        user_id = nodes[0].credentials.username if send_user_id else None
        self._bus = Bus(nodes, Sender(prefix, name, operator, user_id, trace_context), instance, on_reply)

    @property
    def reply_queue(self) -> str | None:
        """The durable queue of this instance; None until the broker has given the process one."""
        return self._bus.instance.queue

    @property
    def last_error(self) -> str | None:
        """Why commands cannot be sent, or replies not be received, right now; None if all is well. Holds no password."""
        return self._bus.last_error

    def ready(self, *, deadline_ms: float = _DEADLINE_MS, cancellation: Cancellation | None = None) -> None:
        """Waits until commands can be sent and replies received; raises CallerError `LOGIN_REFUSED`, `NOT_CONNECTED`, …"""
        self._run(self._bus.ready, "NOT_CONNECTED", _Options(deadline_ms=deadline_ms, cancellation=cancellation))

    def create_session(
        self,
        data: SessionCreate,
        *,
        command_id: str | None = None,
        operator: str | None = None,
        deadline_ms: float = _DEADLINE_MS,
        cancellation: Cancellation | None = None,
    ) -> SessionCreated:
        """Creates a session for a player; raises as `request`."""
        options = _Options(command_id, operator, deadline_ms, cancellation)
        return cast(SessionCreated, self._request("session.create", data, options))

    def open_game(
        self,
        data: GameOpen,
        *,
        command_id: str | None = None,
        operator: str | None = None,
        deadline_ms: float = _DEADLINE_MS,
        cancellation: Cancellation | None = None,
    ) -> GameOpened:
        """Opens the lobby for a player, or with `tableId` of the session a table; raises as `request`."""
        options = _Options(command_id, operator, deadline_ms, cancellation)
        return cast(GameOpened, self._request("game.open", data, options))

    def fetch_ad_hoc_report(
        self,
        data: AdHocReportFetch,
        *,
        command_id: str | None = None,
        operator: str | None = None,
        deadline_ms: float = _REPORT_DEADLINE_MS,
        cancellation: Cancellation | None = None,
    ) -> Report[AdHocRecord]:
        """The figures of all players over a period, or of one; raises as `fetch_report`."""
        options = _Options(command_id, operator, deadline_ms, cancellation)
        return cast(Report[AdHocRecord], self._report("report.ad-hoc.fetch", data, options))

    def fetch_rake_report(
        self,
        data: RakeReportFetch,
        *,
        command_id: str | None = None,
        operator: str | None = None,
        deadline_ms: float = _REPORT_DEADLINE_MS,
        cancellation: Cancellation | None = None,
    ) -> Report[RakeRecord]:
        """The rake of players over a period; raises as `fetch_report`."""
        options = _Options(command_id, operator, deadline_ms, cancellation)
        return cast(Report[RakeRecord], self._report("report.rake.fetch", data, options))

    def request(self, command_type: str, data: Mapping[str, Any], **options: Any) -> dict[str, Any]:
        """Sends any command that a player waits for, by its type, and waits for its reply.

        Raises CallerError as the worker answers or with one of `CALLER_CODES`, ValueError for a deadline out of range.
        """
        return self._request(command_type, data, _Options(**options))

    def fetch_report(self, command_type: str, data: Mapping[str, Any], **options: Any) -> Report[dict[str, Any]]:
        """Any report, by its type. It is fetched when it is first read, and reading it raises as `request`."""
        options.setdefault("deadline_ms", _REPORT_DEADLINE_MS)
        return self._report(command_type, data, _Options(**options))

    def prepare(
        self,
        command_type: str,
        data: Mapping[str, Any],
        *,
        command_id: str | None = None,
        operator: str | None = None,
        deadline_ms: float | None = None,
    ) -> PreparedCommand:
        """Prepares a command for an outbox: keep it in the transaction, then `publish` it. Its replies come to `on_reply`.

        A caller without an instance waits until it has one, and raises as `ready`.
        """
        if self.reply_queue is None:
            self.ready()
        queue = self.reply_queue or ""
        return self._bus.sender.prepare(command_type, data, command_id, operator, deadline_ms, queue)

    def publish(
        self, command: PreparedCommand, *, deadline_ms: float = _DEADLINE_MS, cancellation: Cancellation | None = None
    ) -> None:
        """Publishes a prepared command; returns once the broker has confirmed it.

        Raises CallerError: `NO_WORKER`, `NOT_PERMITTED`, `VALIDATION_FAILED`, at the deadline `NOT_SENT`, or as `ready`.
        """
        options = _Options(command["id"], None, deadline_ms, cancellation)
        self._run(lambda: self._publish(command), "NOT_SENT", options)

    def close(self) -> None:
        """Ends what is under way with `CALLER_CLOSED`. The reply queue stays: the same instance finds late replies."""
        self._bus.close()

    def __enter__(self) -> Caller:
        return self

    def __exit__(self, _type: type | None, _error: BaseException | None, _at: TracebackType | None) -> None:
        self.close()

    def _request(self, command_type: str, data: Mapping[str, Any], options: _Options) -> dict[str, Any]:
        command_id, operator, deadline_ms, cancellation = options
        command = self._bus.sender.prepare(command_type, data, command_id, operator, deadline_ms)
        return self._bus.run(lambda: answer(self._bus, command, deadline_ms), cancellation, command["id"])

    def _report(self, command_type: str, data: Mapping[str, Any], options: _Options) -> Report[Any]:
        command_id, operator, deadline_ms, cancellation = options

        def prepare(chosen_id: str | None) -> PreparedCommand:
            return self._bus.sender.prepare(command_type, data, chosen_id, operator, deadline_ms)

        # What cannot be sent is refused here, and not in a loop later.
        first = prepare(command_id)
        return Report(self._bus, lambda: prepare(first["id"]), deadline_ms, cancellation)

    async def _publish(self, command: PreparedCommand) -> None:
        await self._bus.reply_queue.ready()
        await self._bus.publisher.publish(command, FIRST_ANSWER_S["interactive"])

    def _run(self, work: Callable[[], Awaitable[None]], code: CallerCode, options: _Options) -> None:
        async def until_deadline() -> None:
            try:
                async with asyncio.timeout(options.deadline_ms / 1000):
                    await work()
            except TimeoutError:
                raise self._bus.failure(code, options.command_id) from None

        self._bus.run(until_deadline, options.cancellation, options.command_id)
