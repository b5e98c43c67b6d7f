"""The caller: one method a command."""

from __future__ import annotations

import os
import socket
import ssl
import uuid
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Final, TypeVar, cast

from .attempts import Attempts, Bus
from .cancellation import Cancellation
from .commands import PreparedCommand, Sender, prepare_command
from .connection import Connection
from .consumer import Consumer
from .errors import CallerError
from .messages import (
    AdHocRecord,
    AdHocReportFetch,
    ErrorBody,
    GameOpen,
    GameOpened,
    RakeRecord,
    RakeReportFetch,
    SessionCreate,
    SessionCreated,
)
from .nodes import nodes_of, user_of
from .publisher import Publisher
from .replies import Replies, Reply, read_reply
from .report import Report
from .validation import COMMANDS

R = TypeVar("R")

_DEADLINE_MS: Final = 15_000
_REPORT_DEADLINE_MS: Final = 600_000
_PREFETCH: Final = 64
"""Replies under way to this process."""
_QUEUE_EXPIRES_MS: Final = 86_400_000
"""An instance that does not come back leaves nothing behind."""


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
            instance: unique among the processes that run at a time, the same after a restart; default the host's name
            prefix: the workers' `AMQP_PREFIX`
            operator: whose credentials the worker uses; default that of the worker
            send_user_id: name the broker user, for `CALLERS_FILE`
            ssl_context: for `amqps`: a private authority, a client certificate
            trace_context: gives `traceparent` and `tracestate` of each command
            on_reply: takes, in a thread of its own, each reply that no call awaits; without it they are dropped

        Raises:
            ValueError: there is no URL, or a name cannot be used
        """
        instance = socket.gethostname() if instance is None else instance
        if not name or not instance:
            raise ValueError("name and instance must not be empty")
        self.reply_queue: Final = f"{name}.replies.{instance}"
        """Where replies go: the durable queue of this instance."""
        if self.reply_queue.startswith(f"{prefix}."):
            raise ValueError(f"name must not be {prefix}: queues under it are the workers' own")
        connection = Connection(nodes_of(url, f"{name} caller", ssl_context))
        replies = Replies(connection, on_reply)
        user_id = user_of(url) if send_user_id else None
        self._process = os.getpid()
        self._queue_prefix = f"{name}."
        self._bus = Bus(
            sender=Sender(prefix, name, operator, user_id, trace_context),
            connection=connection,
            publisher=Publisher(connection),
            replies=replies,
            reply_queue=Consumer(
                connection,
                self.reply_queue,
                arguments={"x-expires": _QUEUE_EXPIRES_MS},
                prefetch=_PREFETCH,
                on_delivery=replies.take,
            ),
        )

    @property
    def last_error(self) -> str | None:
        """Why commands cannot be sent, or replies not be received, right now; None if all is well. Holds no password."""
        return self._bus.last_error

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
        return cast(
            SessionCreated, self._call("session.create", data, command_id, operator, deadline_ms, cancellation)
        )

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
        return cast(
            GameOpened,
            self._call("game.open", data, command_id, operator, deadline_ms, cancellation),
        )

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
        return self._report(
            "report.ad-hoc.fetch", data, command_id, operator, deadline_ms, cancellation
        )

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
        return self._report(
            "report.rake.fetch", data, command_id, operator, deadline_ms, cancellation
        )

    def request(
        self,
        command_type: str,
        data: Mapping[str, Any],
        *,
        command_id: str | None = None,
        operator: str | None = None,
        deadline_ms: float = _DEADLINE_MS,
        cancellation: Cancellation | None = None,
    ) -> dict[str, Any]:
        """Sends any command that a player waits for, by its type, and waits for its reply.

        Raises:
            CallerError: as the worker answers, or one of `CALLER_CODES`
            ValueError: there is no such type, or the deadline is out of range
        """
        return self._call(command_type, data, command_id, operator, deadline_ms, cancellation)

    def fetch_report(
        self,
        command_type: str,
        data: Mapping[str, Any],
        *,
        command_id: str | None = None,
        operator: str | None = None,
        deadline_ms: float = _REPORT_DEADLINE_MS,
        cancellation: Cancellation | None = None,
    ) -> Report[dict[str, Any]]:
        """Any report, by its type. It is fetched when it is first read.

        Raises:
            CallerError: `VALIDATION_FAILED`; reading the report raises everything else
            ValueError: there is no such type, or the deadline is out of range
        """
        return self._report(command_type, data, command_id, operator, deadline_ms, cancellation)

    def prepare(
        self,
        command_type: str,
        data: Mapping[str, Any],
        *,
        command_id: str | None = None,
        operator: str | None = None,
        deadline_ms: float | None = None,
    ) -> PreparedCommand:
        """Validates a command, for an outbox: keep it in the transaction, then `publish` it. Its replies come to `on_reply`.

        Raises:
            CallerError: `VALIDATION_FAILED`
        """
        return prepare_command(
            self._bus.sender, self.reply_queue, command_type, data, command_id, operator, deadline_ms
        )

    def publish(
        self,
        command: PreparedCommand,
        *,
        deadline_ms: float = _DEADLINE_MS,
        cancellation: Cancellation | None = None,
    ) -> None:
        """Publishes a prepared command; returns once the broker has confirmed it.

        Raises:
            CallerError: `NO_WORKER`, `NOT_PERMITTED`, `NOT_SENT` after the deadline and 1.5 s, `CALLER_CLOSED`
        """
        self._check_process()
        with Attempts(self._bus, command, deadline_ms, cancellation) as attempts:
            attempts.send(self._bus.reply_queue)
            attempts.until_confirmed()

    def close(self) -> None:
        """Ends what is under way with `CALLER_CLOSED`. The reply queue stays: the same instance finds late replies."""
        self._bus.is_closed = True
        for attempts in list(self._bus.calls):
            attempts.end(CallerError.of("CALLER_CLOSED"))
        self._bus.replies.close()
        self._bus.connection.run_close()

    def __enter__(self) -> Caller:
        return self

    def __exit__(self, _type: type | None, _error: BaseException | None, _at: TracebackType | None) -> None:
        self.close()

    def _call(
        self,
        command_type: str,
        data: Mapping[str, Any],
        command_id: str | None,
        operator: str | None,
        deadline_ms: float,
        cancellation: Cancellation | None,
    ) -> dict[str, Any]:
        self._check_process()
        bus = self._bus
        command = prepare_command(
            bus.sender, self.reply_queue, command_type, data, command_id, operator, deadline_ms
        )
        attempts = Attempts(bus, command, deadline_ms, cancellation)
        with bus.replies.expected(command["id"], attempts.take), attempts:
            while True:
                try:
                    attempts.send(bus.reply_queue)
                    return _data_of(command_type, read_reply(attempts.next_reply()))
                except CallerError as error:
                    attempts.pause_after(error)

    def _report(
        self,
        command_type: str,
        data: Mapping[str, Any],
        command_id: str | None,
        operator: str | None,
        deadline_ms: float,
        cancellation: Cancellation | None,
    ) -> Report[R]:
        self._check_process()
        chosen_id = str(uuid.uuid4()) if command_id is None else command_id

        def prepare(reply_to: str) -> PreparedCommand:
            return prepare_command(
                self._bus.sender, reply_to, command_type, data, chosen_id, operator, deadline_ms
            )

        # What breaks the contract is refused here, and not in a loop later.
        prepare("")
        return Report(self._bus, prepare, self._queue_prefix, deadline_ms, cancellation)

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            raise RuntimeError("a caller does not survive a fork: make one in each process")


def _data_of(command_type: str, reply: Reply) -> dict[str, Any]:
    if reply.type == "command.failed":
        raise CallerError.of_reply(cast(ErrorBody, reply.data))
    if reply.type not in COMMANDS[command_type]["replies"]:
        raise CallerError.of("REPLY_UNREADABLE", reply.command_id)
    return reply.data
