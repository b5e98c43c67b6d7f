"""A connection to the broker that reconnects, and channels with awaitable methods."""

import asyncio
import itertools
import random
import re
import ssl
import struct
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, Self
from urllib.parse import unquote, urlsplit

import pika
from pika import spec
from pika.adapters.asyncio_connection import AsyncioConnection
from pika.frame import Header

from .upkeep import LOG, Upkeep, reason_of

_HEARTBEAT_S: Final = 10
"""In seconds. A silent node counts as lost; so may this process while other code holds the interpreter lock.
"""
_CONNECT_TIMEOUT_S: Final = 5
_ANSWER_TIMEOUT_S: Final = 5.0
_LOOK_AFTER_S: Final = 2.0
"""The delay before checking whether a silent address is an HTTP server, such as the one on port 15672."""
_FIRST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 5.0
_CLOSE_TIMEOUT_S: Final = 2.0
_GUEST: Final = "guest"
_NOT_AMQP: Final = "must be amqp or amqps URLs, comma separated"
_NOT_ENCODED: Final = (
    "must have characters such as # % / ? @ and , of its user, password and virtual host percent-encoded (# is %23)"
)


def settle(future: asyncio.Future[Any], value: Any) -> None:
    if not future.done():
        future.set_result(value)


class Address(NamedTuple):
    """The parts of a broker's address, decoded."""

    is_encrypted: bool
    host: str
    port: int
    user: str
    password: str
    virtual_host: str
    query: str


def read_address(url: str) -> Address:
    """Reads the address of one node, in the same way as the Node.js client.

    Raises ValueError with a message that continues "the address …". It omits the address, which may hold a password.
    """
    is_amqp = re.match(r"amqps?://", url, re.IGNORECASE) is not None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError(_NOT_ENCODED if is_amqp and "@" in url else _NOT_AMQP) from None
    if not is_amqp:
        raise ValueError(_NOT_AMQP)
    has_credentials = bool(parts.username or parts.password)
    # A raw slash or question mark ends the host; the rest of the credentials then counts as path or query.
    if "#" in url or "@" in parts.query or (not has_credentials and "@" in parts.path):
        raise ValueError(_NOT_ENCODED)
    is_encrypted = parts.scheme == "amqps"
    return Address(
        is_encrypted=is_encrypted,
        host=parts.hostname or "localhost",
        port=port or (5671 if is_encrypted else 5672),
        user=_decoded(parts.username or "") if has_credentials else _GUEST,
        password=_decoded(parts.password or "") if has_credentials else _GUEST,
        virtual_host=_decoded(parts.path[1:]) or "/",
        query=parts.query,
    )


def _decoded(text: str) -> str:
    if re.search(r"%(?![0-9A-Fa-f]{2})", text):
        raise ValueError(_NOT_ENCODED)
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise ValueError(_NOT_ENCODED) from None


def nodes_of(url: str | Sequence[str], connection_name: str, context: ssl.SSLContext | None) -> list[Any]:
    """Returns `pika.ConnectionParameters` for each node of a cluster.

    Raises ValueError with a message that omits the URL, because it contains a password.
    """
    parts = [url] if isinstance(url, str) else url
    return [_node(one.strip(), connection_name, context) for part in parts for one in part.split(",")]


def _node(url: str, connection_name: str, context: ssl.SSLContext | None) -> Any:
    try:
        address = read_address(url)
    except ValueError as error:
        raise ValueError(f"url {error}") from None
    host = f"[{address.host}]" if ":" in address.host else address.host
    try:
        # pika decodes user, password and virtual host differently, so it parses only the query parameters.
        scheme = "amqps" if address.is_encrypted else "amqp"
        parameters = pika.URLParameters(f"{scheme}://{host}:{address.port}/?{address.query}")
    except Exception:
        raise ValueError("url has a parameter that pika does not know") from None
    parameters.credentials = pika.PlainCredentials(address.user, address.password)
    parameters.virtual_host = address.virtual_host
    if parameters.heartbeat is None:
        parameters.heartbeat = _HEARTBEAT_S
    parameters.connection_attempts = 1
    parameters.socket_timeout = _CONNECT_TIMEOUT_S
    parameters.stack_timeout = 2 * _CONNECT_TIMEOUT_S
    parameters.client_properties = {"connection_name": connection_name}
    if context is not None and address.is_encrypted:
        parameters.ssl_options = pika.SSLOptions(context, parameters.host)
    return parameters


class Channel:
    """A pika channel. Use it in the loop's thread only."""

    def __init__(self, amqp: Any) -> None:
        loop = asyncio.get_running_loop()
        self.closed: Final[asyncio.Future[Exception]] = loop.create_future()
        """Set to the reason when the channel closes or the broker cancels its consumer."""
        self._opened = loop.create_future()
        self.amqp: Final = amqp.channel(on_open_callback=lambda _: settle(self._opened, None))
        self.amqp.add_on_close_callback(lambda _, reason: settle(self.closed, reason))
        cancelled = ConnectionError("the broker has cancelled the consumer")
        self.amqp.add_on_cancel_callback(lambda _: settle(self.closed, cancelled))

    @property
    def is_open(self) -> bool:
        return bool(self.amqp.is_open) and not self.closed.done()

    async def open(self) -> Self:
        await self.first(self._opened, _ANSWER_TIMEOUT_S)
        return self

    async def call(self, method: str, *args: Any, **options: Any) -> Any:
        """Calls a callback method of pika's channel, and returns the broker's answer; raises as `first`."""
        answer = asyncio.get_running_loop().create_future()
        getattr(self.amqp, method)(*args, callback=lambda frame: settle(answer, frame.method), **options)
        return await self.first(answer, _ANSWER_TIMEOUT_S)

    async def first(self, answer: asyncio.Future[Any], timeout_s: float) -> Any:
        """Awaits an answer; raises TimeoutError, or the reason if the channel closes first."""
        async with asyncio.timeout(timeout_s):
            await asyncio.wait((answer, self.closed), return_when=asyncio.FIRST_COMPLETED)
        if answer.done():
            return answer.result()
        raise self.closed.result()

    def close(self) -> None:
        if self.amqp.is_open:
            self.amqp.close()


class _TolerantConnection(AsyncioConnection):  # type: ignore[misc]
    """Delivers a message with undecodable properties without them; pika would close the connection each time.
    """

    def _read_frame(self) -> tuple[int, Any]:
        try:
            read: tuple[int, Any] = super()._read_frame()
            return read
        except Exception:
            kind, channel, size = struct.unpack_from(">BHL", self._frame_buffer)
            if kind != spec.FRAME_HEADER:
                raise
            body_size = struct.unpack_from(">Q", self._frame_buffer, spec.FRAME_HEADER_SIZE + 4)[0]
            whole = spec.FRAME_HEADER_SIZE + size + spec.FRAME_END_SIZE
            return whole, Header(channel, body_size, spec.BasicProperties())


async def _speaks_http(node: Any) -> bool:
    """Returns True if an HTTP server answers at the address of a node."""
    with suppress(OSError, TimeoutError, EOFError):
        async with asyncio.timeout(_CONNECT_TIMEOUT_S):
            reader, writer = await asyncio.open_connection(node.host, node.port)
            try:
                writer.write(b"GET / HTTP/1.0\r\n\r\n")
                return await reader.readexactly(5) == b"HTTP/"
            finally:
                writer.close()
    return False


class Connection(Upkeep[Any]):
    """A connection to the broker that reconnects with exponential backoff."""

    def __init__(self, nodes: Sequence[Any], purpose: str) -> None:
        """Takes the nodes from `nodes_of`, which are tried in turn, and a purpose, shown in log lines."""
        super().__init__(f"no connection for {purpose}")
        self.unblocked: Final = asyncio.Event()
        """Cleared while the broker blocks publishers because of a memory or disk alarm."""
        self.unblocked.set()
        self._nodes = nodes
        self._purpose = purpose
        self._amqp: Any = None
        self._lost: asyncio.Future[Exception] | None = None

    async def serve(self) -> None:
        """Connects, and reconnects whenever the connection is lost, until it is cancelled."""
        pause = _FIRST_PAUSE_S
        for node in itertools.cycle(self._nodes):
            try:
                lost = await self._open(node)
                LOG.info("connected to %s:%s for %s", node.host, node.port, self._purpose)
                self._opened(self._amqp)
                pause = _FIRST_PAUSE_S
                error = await lost
            except Exception as failure:  # An unusable address is treated like an unavailable node.
                error = failure
            self._value = None
            self.unblocked.set()
            self._failed(error)
            await asyncio.sleep(pause * random.uniform(0.5, 1))
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    async def channel(self) -> Channel:
        """Waits for a connection and opens a channel; raises as `ready`."""
        return await Channel(await self.ready()).open()

    def reset(self, reason: str) -> None:
        """Drops the connection, so that `serve` opens a new one."""
        if self._lost is not None:
            with suppress(Exception):  # The connection is already closed or closing.
                self._amqp.close()
            settle(self._lost, ConnectionError(reason))

    async def close(self) -> None:
        """Closes the connection after `serve` was cancelled.

        The wait is limited, because a close whose handshake is interrupted is never answered.
        """
        with suppress(Exception):
            self._amqp.close()
        if self._lost is not None:
            await asyncio.wait((self._lost,), timeout=_CLOSE_TIMEOUT_S)

    async def _open(self, node: Any) -> asyncio.Future[Exception]:
        loop = asyncio.get_running_loop()
        opened = loop.create_future()
        lost = self._lost = loop.create_future()
        self._amqp = _TolerantConnection(
            node,
            on_open_callback=lambda _: settle(opened, None),
            on_open_error_callback=lambda _, error: settle(lost, error),
            on_close_callback=lambda _, error: settle(lost, error),
            custom_ioloop=loop,
        )
        self._amqp.add_on_connection_blocked_callback(self._block)
        self._amqp.add_on_connection_unblocked_callback(self._unblock)
        await asyncio.wait((opened, lost), timeout=_LOOK_AFTER_S, return_when=asyncio.FIRST_COMPLETED)
        is_silent = not lost.done() or "EOF" in reason_of(lost.result())
        if not opened.done() and is_silent and await _speaks_http(node):
            # pika ends this attempt after its own timeout.
            fault = f"an HTTP server answers at {node.host}:{node.port}; AMQP is usually on port 5672"
            settle(lost, ConnectionError(fault))
            raise ConnectionError(fault)
        await asyncio.wait((opened, lost), return_when=asyncio.FIRST_COMPLETED)
        if not opened.done():
            raise lost.result()
        return lost

    def _block(self, _: Any, frame: Any) -> None:
        self.last_error = f"the broker takes no commands: {frame.method.reason}"
        LOG.warning("%s", self.last_error)
        self.unblocked.clear()

    def _unblock(self, *_: Any) -> None:
        LOG.info("the broker takes commands again")
        self.last_error = None
        self.unblocked.set()
