"""Who is looking: what they may not see is drawn over wherever values are handed out.

A page shows values in many shapes: whole, cut, compared, searched. So who looks is said
once, where they come in, and asked where bodies are decoded and where texts are made
fit to be shown. Nothing of it is stored: who looks with masks writes nothing
(`require_clear`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol


class Reader(Protocol):
    """Somebody who is not shown everything."""

    def text(self, text: str) -> str:
        """Return a text without what they may not see."""

    def part(self, name: str, data: bytes) -> bytes:
        """Return a part of a body without what they may not see."""

    def turn_part(self, name: str, data: bytes) -> bytes:
        """Return a part of a turn without what they may not see."""

    def value(self, data: bytes) -> bytes:
        """Return other JSON, such as arguments, without what they may not see."""

    def held(self, value: Any) -> Any:
        """Return a value of a keyed document; a text may be JSON."""

    def change(self, kept: Mapping[str, Any]) -> dict[str, Any]:
        """Return a change as an append kept it, without what they may not see."""

    def hides(self, pointer: str) -> bool:
        """Say whether they may see nothing of what stands at a place."""

    def hides_below(self, pointer: str) -> bool:
        """Say whether they may not see all of what stands at a place."""


_reader: ContextVar[Reader | None] = ContextVar("reader", default=None)


def reader() -> Reader | None:
    """Return who is looking, if they are not shown everything."""
    return _reader.get()


@contextmanager
def looking(who: Reader | None) -> Iterator[None]:
    """Have what is handed out be drawn for somebody; None is shown everything."""
    token = _reader.set(who)
    try:
        yield
    finally:
        _reader.reset(token)


def look_on(who: Reader | None) -> None:
    """As `looking`, up to the end of the one that is under way."""
    _reader.set(who)


def drawn(text: str) -> str:
    """Return a text as whoever looks may see it."""
    who = _reader.get()
    return text if who is None else who.text(text)


def drawn_value(data: bytes) -> bytes:
    """Return JSON that stands by itself as whoever looks may see it."""
    who = _reader.get()
    return data if who is None else who.value(data)


def hides_at(pointer: str, value: Any) -> bool:
    """Say whether whoever looks may not see all of a value that stands at a place."""
    who = _reader.get()
    if who is None:
        return False
    is_open = isinstance(value, dict | list) and who.hides_below(pointer)
    return is_open or who.hides(pointer)


def require_clear() -> None:
    """Keep what was drawn for somebody from ever being stored.

    Raises: AssertionError; a program that does this is wrong.
    """
    if _reader.get() is not None:
        raise AssertionError("What is drawn for a masked reader is never stored.")
