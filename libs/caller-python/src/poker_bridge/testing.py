"""A broker, the sandbox of the platform and a worker, for the tests of a service."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_NO_CHECKOUT: Final = (
    "sandbox() needs a checkout of poker-bridge: pass its path, or set POKER_BRIDGE_CHECKOUT. "
    "To use a running sandbox and worker, set AMQP_URL and SANDBOX_URL."
)


@dataclass(frozen=True)
class Sandbox:
    """A running broker, sandbox and worker. `url` and `prefix` are arguments of `Caller`."""

    url: str
    prefix: str
    sandbox_url: str
    """The address of the sandbox, for its page and its control API."""


@contextmanager
def sandbox(checkout: str | Path | None = None, **settings: str) -> Iterator[Sandbox]:
    """Starts a broker, the sandbox and a worker on free ports.

    They stop at the end of the `with` block or of the process. If the environment variables `AMQP_URL` and
    `SANDBOX_URL` name running ones, these are used.

    Args:
        checkout: the path of a checkout of poker-bridge. Default: the variable `POKER_BRIDGE_CHECKOUT`
        settings: settings of the sandbox and the worker, such as `SANDBOX_UNKNOWN_PLAYERS="refuse"`

    Raises RuntimeError if there is no checkout, or if they do not start; stderr then says why.
    """
    if os.environ.get("AMQP_URL") and os.environ.get("SANDBOX_URL"):
        yield _sandbox_of(os.environ)
        return
    if not (folder := checkout or os.environ.get("POKER_BRIDGE_CHECKOUT")):
        raise RuntimeError(_NO_CHECKOUT)
    program = Path(folder, "scripts", "run.mjs")
    command = ["node", str(program), "fixture", "--settings", json.dumps(settings)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        if not (line := process.stdout.readline()):
            raise RuntimeError(f"{program} fixture ended with {process.wait()}; its message is on stderr")
        yield _sandbox_of(json.loads(line))


def _sandbox_of(names: Mapping[str, str]) -> Sandbox:
    return Sandbox(names["AMQP_URL"], names.get("AMQP_PREFIX") or "poker", names["SANDBOX_URL"])
