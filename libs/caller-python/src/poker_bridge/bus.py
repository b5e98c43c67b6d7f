"""What the calls of one caller share: a thread with an event loop, two connections, a publisher and a reply queue."""

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import CancelledError, Future
from typing import Any, Final, TypeVar

from .cancellation import Cancellation
from .commands import PreparedCommand, Sender
from .connection import Connection
from .consumer import Consumer
from .errors import CallerCode, CallerError
from .instance import Instance
from .publisher import Publisher
from .replies import Replies, Reply
from .retries import Retries

T = TypeVar("T")

_PREFETCH: Final = 64
"""Replies under way to this process."""
_QUEUE_EXPIRES_MS: Final = 86_400_000
"""An instance that does not come back leaves nothing behind."""
_CLOSE_TIMEOUT_S: Final = 5.0


class Bus:
    """Serves the broker in a thread of its own, so that heartbeats are answered whatever the program does.

    One connection publishes and one consumes: while the broker blocks publishers, and after a publish that ends its
    connection, replies still come. `run` and `close` are for any thread; everything else is used in the thread of the loop.
    """

    def __init__(
        self, nodes: Sequence[Any], sender: Sender, instance: str | None, on_reply: Callable[[Reply], None] | None
    ) -> None:
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
        self.leaving: Final[set[Callable[[], Awaitable[None]]]] = set()
        """Delete the queues of the reports that are being read."""
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

    async def ready(self) -> None:
        """Returns once commands can be sent, and replies received; raises CallerError if that is refused."""
        await self.reply_queue.ready()
        await self._outgoing.ready()

    async def publish(self, command: PreparedCommand) -> None:
        """Publishes a prepared command; raises as `ready` and as the publisher do."""
        await self.reply_queue.ready()
        await self.publisher.publish(command)

    async def within(
        self, limit_s: float, work: Awaitable[T], code: CallerCode, command_id: str | None, hint: str = ""
    ) -> T:
        """Awaits some work; raises CallerError at the limit, with what is wrong on the way to the broker, or a hint."""
        try:
            async with asyncio.timeout(limit_s):
                return await work
        except TimeoutError:
            error = self.last_error
            raise CallerError.of(code, command_id, f"The last error: {error}." if error else hint) from None

    def run(
        self, start: Callable[[], Awaitable[T]], cancellation: Cancellation | None, command_id: str | None = None
    ) -> T:
        """Does some work in the thread of the loop, and waits for it; raises CallerError `CALLER_CLOSED`, CancelledError."""
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
        """Does the same for a task of any event loop, which does not block; a cancelled task ends the work."""
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
            raise RuntimeError("a caller does not survive a fork: make one in each process")
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
        """Returns the error of a call that was ended by `close` or by its cancellation."""
        is_cancelled = cancellation is not None and cancellation.is_cancelled
        if self._is_closed and not is_cancelled:
            return CallerError.of("CALLER_CLOSED", command_id)
        return CancelledError("the call was cancelled")

    def close(self) -> None:
        """Ends what is under way, and waits until both connections are closed, or have taken too long.

        Does nothing in a process that was forked: the connections are its parent's, and a lock may never be released.
        """
        if os.getpid() != self._process:
            return
        with self._lock:
            if not self._is_closed:
                self._loop.call_soon_threadsafe(self._end.set)
            self._is_closed = True
        self._thread.join(_CLOSE_TIMEOUT_S)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve_until_end())
        self._loop.close()

    async def _serve_until_end(self) -> None:
        served = (self._outgoing.serve(), self.incoming.serve(), self.reply_queue.serve(), self.replies.handle())
        # The loop itself keeps no task alive.
        tasks = [asyncio.create_task(work) for work in served]
        await self._end.wait()
        await asyncio.gather(*(leave() for leave in tuple(self.leaving)))
        # Among them the calls that were ended, so that they return what they hold.
        others = {*asyncio.all_tasks(), *tasks} - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.wait(others, timeout=_CLOSE_TIMEOUT_S / 2)
        await asyncio.gather(self._outgoing.close(), self.incoming.close())
