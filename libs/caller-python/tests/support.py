"""Helpers for tests against a running worker and sandbox, which the environment names."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
import urllib.request
import uuid
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any, Iterator, TypeVar
from urllib.parse import urlsplit

import pika

from poker_bridge import Caller

T = TypeVar("T")

URL = os.environ["AMQP_URL"]
PREFIX = os.environ["AMQP_PREFIX"]
SANDBOX = os.environ["SANDBOX_URL"]
NAME = f"{PREFIX}-py"
DAY: Any = {"dateFrom": "2026-01-02 00:00:00", "dateTo": "2026-01-03 00:00:00"}
PATIENT = 600_000
"""Longer than any wait, so that a call ends earlier only for the reason under test."""


def until(what: str, found: Callable[[], T]) -> T:
    """Waits for a condition, with a generous time limit."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        value = found()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"timed out waiting until {what}")


class Sandbox:
    """A client of the control API of the sandbox."""

    def fault(self, **rule: Any) -> None:
        self._call("POST", "faults", rule)

    def clear_faults(self) -> None:
        self._call("DELETE", "faults")

    def received(self, operation: str) -> int:
        counters = self._call("GET", "counters")
        return int(counters[operation]["received"]) if operation in counters else 0

    def _call(self, method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(f"{SANDBOX}/sandbox/{path}", data, headers, method=method)
        with urllib.request.urlopen(request) as response:
            text = response.read()
        return json.loads(text) if text else None


class Proxy:
    """Forwards bytes to the broker, can close all connections, and accepts no new ones while held."""

    def __init__(self) -> None:
        self.connections = 0
        self.is_held = False
        self._open: list[socket.socket] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        host = urlsplit(URL).netloc.rpartition("@")[2]
        return URL.replace(host, f"127.0.0.1:{self._server.getsockname()[1]}")

    def cut(self) -> None:
        taken, self._open = self._open, []
        for one in taken:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _accept(self) -> None:
        parts = urlsplit(URL)
        while True:
            near, _ = self._server.accept()
            while self.is_held:
                time.sleep(0.02)
            far = socket.create_connection((parts.hostname or "", parts.port or 5672))
            self.connections += 1
            self._open += [near, far]
            for pair in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(65_536):
                target.sendall(data)
        except OSError:
            pass
        for one in (source, target):
            one.close()


def open_caller(**options: Any) -> Caller:
    """Returns a caller, by default with a new reply queue, which expires an hour after the test."""
    chosen = {"url": URL, "name": NAME, "prefix": PREFIX, "instance": str(uuid.uuid4()), **options}
    return Caller(**chosen)


@contextmanager
def bus() -> Iterator[Any]:
    """Opens a separate channel for the test."""
    connection = pika.BlockingConnection(pika.URLParameters(URL))
    try:
        yield connection.channel()
    finally:
        if connection.is_open:
            connection.close()


@contextmanager
def nobody(prefix: str, command_type: str | None) -> Iterator[tuple[Any, str]]:
    """Sets up a prefix without a worker; with a type, binds a queue for its commands."""
    with bus() as channel:
        exchange = f"{prefix}.commands"
        channel.exchange_declare(exchange, "direct", durable=True)
        queue = channel.queue_declare("", exclusive=True).method.queue
        if command_type is not None:
            channel.queue_bind(queue, exchange, command_type)
        yield channel, queue
        channel.exchange_delete(exchange)


@contextmanager
def in_threads(*calls: Callable[[], object]) -> Iterator[None]:
    """Runs each call in a separate thread, and waits for all of them at the end."""
    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
    yield
    for thread in threads:
        thread.join()


def waiting_in(queue: str) -> int:
    with bus() as channel:
        return int(channel.queue_declare(queue, passive=True).method.message_count)


def taken_from(channel: Any, queue: str) -> Any:
    """Returns the next message of a queue; None if the queue is empty."""
    message = channel.basic_get(queue, auto_ack=True)
    return message if message[0] else None
