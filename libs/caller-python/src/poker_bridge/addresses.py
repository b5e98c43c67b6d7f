"""The addresses of the broker."""

import ssl
from collections.abc import Sequence
from typing import Any, Final

import pika

_HEARTBEAT_S: Final = 10
"""A node that is silent for longer counts as lost. Shorter would be lost to code that holds the interpreter."""
_CONNECT_TIMEOUT_S: Final = 5


def nodes_of(url: str | Sequence[str], connection_name: str, context: ssl.SSLContext | None) -> list[Any]:
    """`pika.ConnectionParameters` for each node of a cluster; raises ValueError without the URL: it holds a password."""
    parts = [url] if isinstance(url, str) else url
    return [_node(one.strip(), connection_name, context) for part in parts for one in part.split(",")]


def _node(url: str, connection_name: str, context: ssl.SSLContext | None) -> Any:
    try:
        if not url.startswith(("amqp://", "amqps://")):
            raise ValueError
        parameters = pika.URLParameters(url)
    except Exception:
        raise ValueError("url must be a URL that begins with amqp:// or amqps://") from None
    if parameters.heartbeat is None:
        parameters.heartbeat = _HEARTBEAT_S
    parameters.connection_attempts = 1
    parameters.socket_timeout = _CONNECT_TIMEOUT_S
    parameters.stack_timeout = 2 * _CONNECT_TIMEOUT_S
    parameters.client_properties = {"connection_name": connection_name}
    if context is not None and url.startswith("amqps://"):
        parameters.ssl_options = pika.SSLOptions(context, parameters.host)
    return parameters
