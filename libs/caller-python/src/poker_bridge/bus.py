"""The state shared by all calls of a caller: a thread with an event loop, two connections, a publisher, a
reply queue.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

from .cancellation import Cancellation
from .commands import PreparedCommand, Sender
from .connection import Connection
from .consumer import Consumer
from .errors import CallerCode, CallerError
from .instance import Instance
from .publisher import Publisher
from .replies import Replies, Reply
from .retries import Retries

if TYPE_CHECKING:
    from .call import Call

T = TypeVar("T")

_PREFETCH: Final = 64
"""The maximum number of unacknowledged replies in this process."""
_QUEUE_EXPIRES_MS: Final = 86_400_000
"""The broker deletes the queue of an instance that has been gone for this long."""
_CLOSE_TIMEOUT_S: Final = 5.0
_FORKED: Final = "a caller does not survive a fork: make one in each process"


class Bus:
    """Runs the connections in a separate thread, so that heartbeats are answered even if the program is busy.

    One connection publishes and one consumes. Replies therefore still arrive while the broker blocks publishers, and
    after a publish that closes its connection. `run` and `close` are thread-safe; call everything else in the loop's
    thread only.
    """

    def __init__(
        self, nodes: Sequence[Any], sender: Sender, instance: str | None, on_reply: Callable[[Reply], None] | None
    ) -> None:
        _refuse_in_master_of_uwsgi()
        self.sender: Final = sender
        self.retries: Final = Retries()
        self.incoming: Final = Connection(nodes, "replies")
        self.instance: Final = Instance(self.incoming, sender.app_id, instance)
        self.replies: Final = Replies(on_reply)
        self.reply_queue: Final = Consumer(
            self.instance.claim,
            arguments={"x-expires": _QUEUE_EXPIRES_MS},
            prefetch=_PREFETCH,
            on_delivery=self.replies.take,
            on_moved=self.replies.moved,
        )
        self.in_flight: Final[dict[str, Call]] = {}
        """The call that sends each command, by command id."""
        self.leaving: Final[set[Callable[[], Awaitable[None]]]] = set()
        """Callbacks that delete the queues of the reports being read."""
        self._outgoing = Connection(nodes, "commands")
        self.publisher: Final = Publisher(self._outgoing)
        self._process = os.getpid()
        self._is_closed = False
        self._lock = threading.Lock()
        self._loop = asyncio.new_event_loop()
        self._end = asyncio.Event()
        self._thread = threading.Thread(target=self._serve, name="poker-bridge", daemon=True)
        self._thread.start()

    @property
    def last_error(self) -> str | None:
        return self._outgoing.last_error or self.incoming.last_error or self.reply_queue.last_error

    async def ready(self, deadline_ms: float) -> None:
        """Returns once commands can be sent and replies received; raises CallerError, at the latest at the deadline."""
        async with self.within(deadline_ms / 1000, "NOT_CONNECTED", None):
            await self.reply_queue.ready()
            await self._outgoing.ready()

    async def publish(self, command: PreparedCommand, deadline_ms: float) -> None:
        """Publishes a prepared command; raises CallerError, at the latest at the deadline."""
        async with self.within(deadline_ms / 1000, "NOT_SENT", command["id"]):
            await self.reply_queue.ready()
            await self.publisher.publish(command)

    @asynccontextmanager
    async def within(
        self, limit_s: float, code: CallerCode, command_id: str | None, hint: str = ""
    ) -> AsyncGenerator[None, None]:
        """Limits the `with` block; raises CallerError at the limit, with the last connection error or else the hint."""
        try:
            async with asyncio.timeout(limit_s):
                yield
        except TimeoutError:
            error = self.last_error
            raise CallerError.of(code, command_id, f"The last error: {error}." if error else hint) from None

    def run(
        self, start: Callable[[], Awaitable[T]], cancellation: Cancellation | None, command_id: str | None = None
    ) -> T:
        """Runs a coroutine in the loop's thread and waits for it; raises CallerError `CALLER_CLOSED`,
        CancelledError.
        """
        future = self._begin(start, cancellation, command_id)
        try:
            return future.result()
        except CancelledError:
            raise self._end_of(cancellation, command_id) from None
        finally:
            future.cancel()

    async def awaited(
        self, start: Callable[[], Awaitable[T]], cancellation: Cancellation | None = None, command_id: str | None = None
    ) -> T:
        """Works like `run` for a task of any event loop, without blocking it; cancelling the task cancels the
        work.
        """
        future = self._begin(start, cancellation, command_id)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) is not None and task.cancelling():
                raise
            raise self._end_of(cancellation, command_id) from None
        finally:
            future.cancel()

    def _begin(
        self, start: Callable[[], Awaitable[T]], cancellation: Cancellation | None, command_id: str | None
    ) -> Future[T]:
        async def work() -> T:
            return await start()

        if os.getpid() != self._process:
            raise RuntimeError(_FORKED)
        if cancellation is not None and cancellation.is_cancelled:
            raise CancelledError("the call was cancelled")
        with self._lock:
            if self._is_closed:
                raise CallerError.of("CALLER_CLOSED", command_id)
            future = asyncio.run_coroutine_threadsafe(work(), self._loop)
        if cancellation is not None:
            cancellation.ends(future)
        return future

    def _end_of(self, cancellation: Cancellation | None, command_id: str | None) -> Exception:
        """Returns the error of a call that `close` or its cancellation has ended."""
        is_cancelled = cancellation is not None and cancellation.is_cancelled
        if self._is_closed and not is_cancelled:
            return CallerError.of("CALLER_CLOSED", command_id)
        return CancelledError("the call was cancelled")

    def close(self) -> None:
        """Ends all calls in flight, and waits a limited time until both connections are closed.

        Does nothing in a forked process: its parent owns the connections, and a lock may never be released.
        """
        if os.getpid() != self._process:
            return
        with self._lock:
            was_closed = self._is_closed
            self._is_closed = True  # Before the loop ends the calls, whose error depends on it
            if not was_closed:
                self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(_CLOSE_TIMEOUT_S)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve_until_end())
        self._loop.close()

    async def _serve_until_end(self) -> None:
        served = (self._outgoing.serve(), self.incoming.serve(), self.reply_queue.serve(), self.replies.handle())
        # The loop holds only weak references to its tasks.
        tasks = [asyncio.create_task(work) for work in served]
        await self._end.wait()
        await asyncio.gather(*(leave() for leave in tuple(self.leaving)))
        # These include the calls in flight, which then release their resources.
        others = {*asyncio.all_tasks(), *tasks} - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.wait(others, timeout=_CLOSE_TIMEOUT_S / 2)
        await asyncio.gather(self._outgoing.close(), self.incoming.close())


def _refuse_in_master_of_uwsgi() -> None:
    """Raises RuntimeError in the process that uWSGI forks.

    With `enable-threads`, a fork while the caller's thread holds the interpreter lock leaves a worker that waits for
    this lock for ever, and in which no Python code runs.
    """
    uwsgi = sys.modules.get("uwsgi")
    if uwsgi is not None and uwsgi.masterpid() == os.getpid():
        raise RuntimeError(f"{_FORKED}, with uWSGI's lazy-apps or @postfork")
