"""The addresses of the broker."""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

import pika

_HEARTBEAT_S: Final = 10
"""A node that is silent for longer counts as lost. Shorter would be lost to code that holds the interpreter."""
_CONNECT_TIMEOUT_S: Final = 5


def nodes_of(url: str | Sequence[str], connection_name: str, context: ssl.SSLContext | None) -> list[Any]:
    """`pika.ConnectionParameters` for each node of a cluster.

    Raises:
        ValueError: a URL cannot be used; it is not repeated, because it holds a password
    """
    return [_node(one, connection_name, context) for one in _urls(url)]


def user_of(url: str | Sequence[str]) -> str:
    """The broker user."""
    return unquote(urlsplit(_urls(url)[0]).username or "guest")


def _urls(url: str | Sequence[str]) -> list[str]:
    parts = [url] if isinstance(url, str) else url
    return [one.strip() for part in parts for one in part.split(",")]


def _node(url: str, connection_name: str, context: ssl.SSLContext | None) -> Any:
    try:
        if not url.startswith(("amqp://", "amqps://")):
            raise ValueError
        parameters = pika.URLParameters(url)
        query = parse_qs(urlsplit(url).query)
    except Exception:
        raise ValueError("url must be a URL that begins with amqp:// or amqps://") from None
    if "heartbeat" not in query:
        parameters.heartbeat = _HEARTBEAT_S
    parameters.connection_attempts = 1
    parameters.socket_timeout = _CONNECT_TIMEOUT_S
    parameters.stack_timeout = 2 * _CONNECT_TIMEOUT_S
    parameters.client_properties = {"connection_name": connection_name}
    if context is not None and url.startswith("amqps://"):
        parameters.ssl_options = pika.SSLOptions(context, parameters.host)
    return parameters
