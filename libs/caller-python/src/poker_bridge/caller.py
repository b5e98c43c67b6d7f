"""The caller: one method a command."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Unpack, cast

from .bus import Bus
from .call import answer
from .cancellation import Cancellation
from .commands import CommandOptions, PreparedCommand, Sender
from .connection import nodes_of
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

DEADLINE_MS: Final = 15_000
_REPORT_DEADLINE_MS: Final = 600_000


class CallOptions(CommandOptions, total=False):
    """The options of every call."""

    cancellation: Cancellation | None  # Ends the call from another thread, with concurrent.futures.CancelledError


class Caller:
    """Sends commands to poker-bridge and gives typed replies; for any number of threads.

    It connects in the background, in a thread of its own, and reconnects for as long as it is open. A process that forks
    makes its caller after that.

    Every call takes `CallOptions`, and ends at most 1.5 s after its deadline.
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

    def ready(self, *, deadline_ms: float = DEADLINE_MS, cancellation: Cancellation | None = None) -> None:
        """Waits until commands can be sent and replies received; raises CallerError `LOGIN_REFUSED`, `NOT_CONNECTED`, …"""
        bus = self._bus
        bus.run(lambda: bus.within(deadline_ms / 1000, bus.ready(), "NOT_CONNECTED", None), cancellation)

    def create_session(self, data: SessionCreate, **options: Unpack[CallOptions]) -> SessionCreated:
        """Creates a session for a player; raises as `request`."""
        return cast(SessionCreated, self.request("session.create", data, **options))

    def open_game(self, data: GameOpen, **options: Unpack[CallOptions]) -> GameOpened:
        """Opens the lobby for a player, or with `tableId` of the session a table; raises as `request`."""
        return cast(GameOpened, self.request("game.open", data, **options))

    def fetch_ad_hoc_report(self, data: AdHocReportFetch, **options: Unpack[CallOptions]) -> Report[AdHocRecord]:
        """The figures of all players over a period, or of one; raises as `fetch_report`."""
        return cast(Report[AdHocRecord], self.fetch_report("report.ad-hoc.fetch", data, **options))

    def fetch_rake_report(self, data: RakeReportFetch, **options: Unpack[CallOptions]) -> Report[RakeRecord]:
        """The rake of players over a period; raises as `fetch_report`."""
        return cast(Report[RakeRecord], self.fetch_report("report.rake.fetch", data, **options))

    def request(self, command_type: str, data: Mapping[str, Any], **options: Unpack[CallOptions]) -> dict[str, Any]:
        """Sends any command that a player waits for, by its type, and waits for its reply.

        Raises CallerError as the worker answers or with one of `CALLER_CODES`, ValueError for a deadline out of range.
        """
        cancellation = options.pop("cancellation", None)
        deadline_ms = options.setdefault("deadline_ms", DEADLINE_MS)
        command = self._bus.sender.prepare(command_type, data, options)
        return self._bus.run(lambda: answer(self._bus, command, deadline_ms), cancellation, command["id"])

    def fetch_report(
        self, command_type: str, data: Mapping[str, Any], **options: Unpack[CallOptions]
    ) -> Report[dict[str, Any]]:
        """Any report, by its type. It is fetched when it is first read, and reading it raises as `request`."""
        cancellation = options.pop("cancellation", None)
        deadline_ms = options.setdefault("deadline_ms", _REPORT_DEADLINE_MS)
        prepare: Callable[[], PreparedCommand] = lambda: self._bus.sender.prepare(command_type, data, options)
        # What cannot be sent is refused here, and not in a loop later.
        options["command_id"] = prepare()["id"]
        return Report(self._bus, prepare, deadline_ms, cancellation)

    def prepare(self, command_type: str, data: Mapping[str, Any], **options: Unpack[CommandOptions]) -> PreparedCommand:
        """Prepares a command for an outbox: keep it in the transaction, then `publish` it. Its replies come to `on_reply`.

        A caller without an instance waits until it has one, and raises as `ready`.
        """
        if self.reply_queue is None:
            self.ready()
        return self._bus.sender.prepare(command_type, data, options, self.reply_queue or "")

    def publish(
        self, command: PreparedCommand, *, deadline_ms: float = DEADLINE_MS, cancellation: Cancellation | None = None
    ) -> None:
        """Publishes a prepared command; returns once the broker has confirmed it.

        Raises CallerError: `NO_WORKER`, `NOT_PERMITTED`, `VALIDATION_FAILED`, at the deadline `NOT_SENT`, or as `ready`.
        """
        command_id = command["id"]
        sending = lambda: self._bus.within(deadline_ms / 1000, self._bus.publish(command), "NOT_SENT", command_id)
        self._bus.run(sending, cancellation, command_id)

    def close(self) -> None:
        """Ends what is under way with `CALLER_CLOSED`. The reply queue stays: the same instance finds late replies."""
        self._bus.close()

    def __enter__(self) -> Caller:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
