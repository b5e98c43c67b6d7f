"""The caller, with one method per command."""

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
    """Sends commands to poker-bridge and returns typed replies. It is thread-safe.

    It connects in a background thread, and reconnects until it is closed. In a process that forks, create the caller
    after the fork.

    Every call accepts `CallOptions`, and ends at most 1.5 s after its deadline.
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
            url: the nodes of one cluster, separated by commas or as a sequence
            name: the name of your service; the names of its reply queues start with it and a dot
            instance: a name that is unique among the running processes and unchanged by a restart. Default: the
                lowest number that no other process with this caller name uses
            prefix: the workers' `AMQP_PREFIX`
            operator: the operator whose credentials the worker uses. Default: the worker's default operator
            send_user_id: True to send the broker user with each command, for `CALLERS_FILE`
            ssl_context: for `amqps`, for example with a private certificate authority or a client certificate
            trace_context: returns the `traceparent` and `tracestate` of each command
            on_reply: called in a separate thread with each reply that no call awaits. Without it, these are dropped

        Raises ValueError for an invalid URL or name.
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
        """The durable queue of this instance; None until the process has claimed one."""
        return self._bus.instance.queue

    @property
    def last_error(self) -> str | None:
        """Why commands cannot currently be sent or replies received, without passwords; None if both can."""
        return self._bus.last_error

    def ready(self, *, deadline_ms: float = DEADLINE_MS, cancellation: Cancellation | None = None) -> None:
        """Waits until commands can be sent and replies received; raises CallerError `LOGIN_REFUSED`,
        `NOT_CONNECTED`, …
        """
        self._bus.run(lambda: self._bus.ready(deadline_ms), cancellation)

    def create_session(self, data: SessionCreate, **options: Unpack[CallOptions]) -> SessionCreated:
        """Creates a session for a player; raises as `request`."""
        return cast(SessionCreated, self.request("session.create", data, **options))

    def open_game(self, data: GameOpen, **options: Unpack[CallOptions]) -> GameOpened:
        """Opens the lobby for a player, or a table if the session has a `tableId`; raises as `request`."""
        return cast(GameOpened, self.request("game.open", data, **options))

    def fetch_ad_hoc_report(self, data: AdHocReportFetch, **options: Unpack[CallOptions]) -> Report[AdHocRecord]:
        """Fetches the figures of one or all players over a period; raises as `fetch_report`."""
        return cast(Report[AdHocRecord], self.fetch_report("report.ad-hoc.fetch", data, **options))

    def fetch_rake_report(self, data: RakeReportFetch, **options: Unpack[CallOptions]) -> Report[RakeRecord]:
        """Fetches the rake of players over a period; raises as `fetch_report`."""
        return cast(Report[RakeRecord], self.fetch_report("report.rake.fetch", data, **options))

    def request(self, command_type: str, data: Mapping[str, Any], **options: Unpack[CallOptions]) -> dict[str, Any]:
        """Sends any interactive command by its type, and waits for its reply.

        Raises CallerError with the worker's code or one of `CALLER_CODES`, and ValueError for a deadline out of range.
        """
        cancellation = options.pop("cancellation", None)
        deadline_ms = options.setdefault("deadline_ms", DEADLINE_MS)
        command = self._bus.sender.prepare(command_type, data, options)
        return self._bus.run(lambda: answer(self._bus, command, deadline_ms), cancellation, command["id"])

    def fetch_report(
        self, command_type: str, data: Mapping[str, Any], **options: Unpack[CallOptions]
    ) -> Report[dict[str, Any]]:
        """Returns any report by its type. The first read starts fetching it; reading raises as `request`."""
        cancellation = options.pop("cancellation", None)
        deadline_ms = options.setdefault("deadline_ms", _REPORT_DEADLINE_MS)
        prepare: Callable[[], PreparedCommand] = lambda: self._bus.sender.prepare(command_type, data, options)
        # An invalid command is rejected here, not later in the loop that reads the report.
        options["command_id"] = prepare()["id"]
        return Report(self._bus, prepare, deadline_ms, cancellation)

    def prepare(self, command_type: str, data: Mapping[str, Any], **options: Unpack[CommandOptions]) -> PreparedCommand:
        """Prepares a command for an outbox: store it in the transaction, then `publish` it. `on_reply` gets its replies.

        A caller without an instance first waits until it has claimed one, and raises as `ready`.
        """
        if self.reply_queue is None:
            self.ready()
        return self._bus.sender.prepare(command_type, data, options, self.reply_queue or "")

    def publish(
        self, command: PreparedCommand, *, deadline_ms: float = DEADLINE_MS, cancellation: Cancellation | None = None
    ) -> None:
        """Publishes a prepared command; returns once the broker has confirmed it.

        Raises CallerError `NO_WORKER`, `NOT_PERMITTED`, `VALIDATION_FAILED`, `NOT_SENT` at the deadline, or as `ready`.
        """
        self._bus.run(lambda: self._bus.publish(command, deadline_ms), cancellation, command["id"])

    def close(self) -> None:
        """Fails calls in flight with `CALLER_CLOSED`. The reply queue stays: the same instance gets late
        replies.
        """
        self._bus.close()

    def __enter__(self) -> Caller:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
