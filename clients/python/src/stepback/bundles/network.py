"""No network while an agent is replayed: what tries gets an error, and is told of.

The interpreter asks before it connects, sends or looks up a name, so this holds for
every library that uses Python's sockets, in all threads. It is no sandbox: a program
that is started, and code that opens connections in C by itself, are not held back.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from types import FrameType
from typing import Any

EVENTS = frozenset(
    {
        *("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"),
        *("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"),
        "socket.getnameinfo",
    }
)
_HERE = __file__
_OTHERS = tuple(
    sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")
)


class NoNetwork(RuntimeError):
    """A replay has no network: what is asked of it is not in the record."""


@dataclass(frozen=True, slots=True)
class Try:
    """What was asked of the network, and where in the agent."""

    address: str
    at: str


class _Guard:
    """The one hook of the process; a hook stays for good, so it is switched."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_hooked = False
        self._open: list[list[Try]] = []

    def __call__(self, event: str, given: tuple[Any, ...]) -> None:
        if not self._open or event not in EVENTS:
            return
        tried = Try(_address(event, given), _place(sys._getframe(1)))
        for one in self._open:
            one.append(tried)
        raise NoNetwork(
            f"A replay has no network: {tried.at} asked for {tried.address}"
        )

    @contextmanager
    def cut(self) -> Iterator[list[Try]]:
        tried: list[Try] = []
        with self._lock:
            if not self._is_hooked:
                sys.addaudithook(self)
                self._is_hooked = True
            self._open.append(tried)
        try:
            yield tried
        finally:
            with self._lock:
                self._open = [one for one in self._open if one is not tried]


_guard = _Guard()


def cut() -> Any:
    """Cut the network until the context is left; it has what was tried."""
    return _guard.cut()


def _address(event: str, given: tuple[Any, ...]) -> str:
    is_lookup = event.startswith("socket.get")
    asked = given[:2] if is_lookup else given[1:2]
    parts: list[Any] = []
    for one in asked:
        parts += one[:2] if isinstance(one, tuple) else [one]
    said = ":".join(
        one.decode(errors="replace") if isinstance(one, bytes) else str(one)
        for one in parts
        if one is not None
    )
    return said or event


def _place(frame: FrameType | None) -> str:
    """Return the innermost line that is neither Python's nor an installed package's."""
    first = frame
    while frame is not None:
        name = frame.f_code.co_filename
        if name != _HERE and not name.startswith((*_OTHERS, "<")):
            return _line(frame)
        frame = frame.f_back
    return _line(first) if first is not None else "somebody"


def _line(frame: FrameType) -> str:
    return f"{frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_name}"
