"""An asyncio interface to a caller."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from typing import Any, TypeVar, Unpack, cast

from .call import answer
from .caller import DEADLINE_MS, Caller, CallOptions
from .commands import PreparedCommand
from .errors import CallerError
from .messages import GameOpen, GameOpened, ReportPage, SessionCreate, SessionCreated
from .report import Report
from .report import _close as close_pages

R = TypeVar("R")


class AsyncCaller:
    """Makes the calls of a `Caller` awaitable, from any event loop and without a thread for each call.

    The deadline starts with the call. Cancelling the task that awaits a call ends the call immediately; the worker may
    still run a command that was already sent. The methods raise the same errors as those of `Caller`.
    """

    def __init__(self, caller: Caller) -> None:
        """Wraps a caller, which remains usable on its own and must be closed separately."""
        self._bus = caller._bus

    async def ready(self, *, deadline_ms: float = DEADLINE_MS) -> None:
        """Waits until commands can be sent and replies received."""
        await self._bus.awaited(lambda: self._bus.ready(deadline_ms))

    async def create_session(self, data: SessionCreate, **options: Unpack[CallOptions]) -> SessionCreated:
        """Creates a session for a player."""
        return cast(SessionCreated, await self.request("session.create", data, **options))

    async def open_game(self, data: GameOpen, **options: Unpack[CallOptions]) -> GameOpened:
        """Opens the lobby for a player, or a table if the session has a `tableId`."""
        return cast(GameOpened, await self.request("game.open", data, **options))

    async def request(self, command_type: str, data: Mapping[str, Any], **options: Unpack[CallOptions]) -> dict[str, Any]:
        """Sends any interactive command by its type, and returns the data of its reply."""
        bus = self._bus
        cancellation = options.pop("cancellation", None)
        deadline_ms = options.setdefault("deadline_ms", DEADLINE_MS)
        command = bus.sender.prepare(command_type, data, options)
        return await bus.awaited(lambda: answer(bus, command, deadline_ms), cancellation, command["id"])

    async def publish(self, command: PreparedCommand, *, deadline_ms: float = DEADLINE_MS) -> None:
        """Publishes a prepared command; returns once the broker has confirmed it."""
        await self._bus.awaited(lambda: self._bus.publish(command, deadline_ms), None, command["id"])

    async def pages(self, report: Report[R]) -> AsyncGenerator[ReportPage[R], None]:
        """Reads the pages of a report of the caller, once. Use `contextlib.aclosing` if the loop may exit
        early.
        """
        iter(report)  # Marks it as read
        command = report._prepare()
        pages = report._pages(command)
        try:
            while page := await self._bus.awaited(lambda: anext(pages, None), report._cancellation, command["id"]):
                yield page
        finally:
            with suppress(CallerError):
                await self._bus.awaited(lambda: close_pages(pages))
