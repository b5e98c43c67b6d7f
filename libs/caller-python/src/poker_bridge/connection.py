"""A connection to the broker that is recreated, and channels whose methods are awaited."""

import asyncio
import itertools
import logging
import random
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from pika.adapters.asyncio_connection import AsyncioConnection
from pika.exceptions import ProbableAccessDeniedError, ProbableAuthenticationError

from .errors import CallerError

LOG = logging.getLogger("poker_bridge")

_ANSWER_TIMEOUT_S: Final = 5.0
_FIRST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 5.0
_CLOSE_TIMEOUT_S: Final = 2.0


def settle(future: asyncio.Future[Any], value: Any) -> None:
    if not future.done():
        future.set_result(value)


class Channel:
    """A channel of pika; used in the thread of its loop."""

    def __init__(self, amqp: Any) -> None:
        loop = asyncio.get_running_loop()
        self.closed: Final[asyncio.Future[Exception]] = loop.create_future()
        """Why it closed; also if the broker cancels its consumer."""
        self._opened = loop.create_future()
        self.amqp: Final = amqp.channel(on_open_callback=lambda _: settle(self._opened, None))
        self.amqp.add_on_close_callback(lambda _, reason: settle(self.closed, reason))
        cancelled = ConnectionError("the broker has cancelled the consumer")
        self.amqp.add_on_cancel_callback(lambda _: settle(self.closed, cancelled))

    @property
    def is_open(self) -> bool:
        return bool(self.amqp.is_open) and not self.closed.done()

    async def open(self) -> None:
        await self.first(self._opened, _ANSWER_TIMEOUT_S)

    async def call(self, method: str, *args: Any, **options: Any) -> Any:
        """Calls a method of pika's channel that takes a callback, and gives the broker's answer; raises as `first`."""
        answer = asyncio.get_running_loop().create_future()
        getattr(self.amqp, method)(*args, callback=lambda frame: settle(answer, frame.method), **options)
        return await self.first(answer, _ANSWER_TIMEOUT_S)

    async def first(self, answer: asyncio.Future[Any], timeout_s: float) -> Any:
        """Awaits an answer; raises why the channel closed before it, or TimeoutError."""
        async with asyncio.timeout(timeout_s):
            await asyncio.wait((answer, self.closed), return_when=asyncio.FIRST_COMPLETED)
        if answer.done():
            return answer.result()
        raise self.closed.result()

    def close(self) -> None:
        if self.amqp.is_open:
            self.amqp.close()


class Connection:
    """One connection to the broker, recreated with growing pauses. Used in the thread of its loop."""

    def __init__(self, nodes: Sequence[Any], purpose: str) -> None:
        """
        Args:
            nodes: `pika.ConnectionParameters` of the nodes of one cluster, tried in turn
            purpose: names it in log lines
        """
        self.last_error: str | None = None
        """Why there is no connection, or why it takes nothing. Holds no password."""
        self.unblocked: Final = asyncio.Event()
        """Not set while the broker takes nothing from publishers: memory or disk alarm."""
        self.unblocked.set()
        self._nodes = nodes
        self._purpose = purpose
        self._amqp: Any = None
        self._refusal: CallerError | None = None
        self._tried = asyncio.Event()
        """Set while there is a connection, or the broker refuses the login."""
        self._lost: asyncio.Future[Exception] | None = None

    async def serve(self) -> None:
        """Connects, and again whenever the connection is lost, until it is cancelled."""
        failures = 0
        for node in itertools.cycle(self._nodes):
            try:
                lost = await self._open(node)
                LOG.info("connected to %s:%s for %s", node.host, node.port, self._purpose)
                self.last_error = self._refusal = None
                self._tried.set()
                failures = 0
                self._failed(await lost)
            except Exception as error:  # An address that cannot be used is one more node that is away.
                self._failed(error)
            longest = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2**failures)
            failures = min(failures + 1, 10)
            await asyncio.sleep(longest * random.uniform(0.5, 1))

    async def channel(self) -> Channel:
        """Opens a channel, once there is a connection; raises as `opened`."""
        channel = Channel(await self.opened())
        await channel.open()
        return channel

    async def opened(self) -> Any:
        """The connection of pika, once it is open; raises CallerError `LOGIN_REFUSED`."""
        await self._tried.wait()
        if self._refusal is not None:
            raise self._refusal.again()
        return self._amqp

    def reset(self, reason: str) -> None:
        """Drops the connection, so that another one follows."""
        if self._lost is not None:
            with suppress(Exception):  # It is closed, or closing.
                self._amqp.close()
            settle(self._lost, ConnectionError(reason))

    async def close(self) -> None:
        """Closes it after `serve` was cancelled; a close that is cut in its handshake is never answered."""
        with suppress(Exception):
            self._amqp.close()
        if self._lost is not None:
            await asyncio.wait((self._lost,), timeout=_CLOSE_TIMEOUT_S)

    async def _open(self, node: Any) -> asyncio.Future[Exception]:
        loop = asyncio.get_running_loop()
        opened: asyncio.Future[Exception | None] = loop.create_future()
        lost = self._lost = loop.create_future()
        self._amqp = AsyncioConnection(
            node,
            on_open_callback=lambda _: settle(opened, None),
            on_open_error_callback=lambda _, error: settle(opened, error),
            on_close_callback=lambda _, error: settle(lost, error),
            custom_ioloop=loop,
        )
        self._amqp.add_on_connection_blocked_callback(self._block)
        self._amqp.add_on_connection_unblocked_callback(self._unblock)
        error = await opened
        if error is not None:
            settle(lost, error)
            raise error
        return lost

    def _failed(self, error: Exception) -> None:
        reason = reason_of(error)
        if reason != self.last_error:
            LOG.warning("no connection for %s, trying again: %s", self._purpose, reason)
        self.last_error = reason
        self.unblocked.set()
        self._tried.clear()
        self._refusal = None
        # A limit of connections passes by itself.
        is_refused = isinstance(error, (ProbableAuthenticationError, ProbableAccessDeniedError))
        if is_refused and "limit" not in reason:
            self._refusal = CallerError.of("LOGIN_REFUSED", hint=f"It says: {reason}.")
            self._tried.set()

    def _block(self, _: Any, frame: Any) -> None:
        self.last_error = f"the broker takes no commands: {frame.method.reason}"
        LOG.warning("%s", self.last_error)
        self.unblocked.clear()

    def _unblock(self, *_: Any) -> None:
        LOG.info("the broker takes commands again")
        self.last_error = None
        self.unblocked.set()


def reason_of(error: BaseException) -> str:
    """The innermost error, in one line: pika wraps it, and has one for each address of a name."""
    for _ in range(10):
        inner = getattr(error, "exceptions", None) or [getattr(error, "exception", None) or next(iter(error.args), None)]
        if not isinstance(inner[-1], BaseException):
            break
        error = inner[-1]
    # Some of pika's errors hold what the broker says as text alone.
    said = re.search(r"\(\d+\) ['\"](.+?)['\"]+[,)]*$", str(error))
    return (said[1] if said else " ".join(str(error).split()) or type(error).__name__).rstrip(".")
