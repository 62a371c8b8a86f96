"""What commands share: lists that go on, and options that would be for nothing."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from stepback.answers import Page

Item = TypeVar("Item")
# The server lists no more at once.
PAGE = 100


def every(ask: Callable[[str | None], Page[Item]]) -> Iterator[Item]:
    """Yield the items of all pages; `ask` takes the `last_id` of the page before."""
    after = None
    while True:
        page = ask(after)
        yield from page.data
        if not page.has_more:
            return
        after = page.last_id


def refuse_unused(asked: Namespace, names: Sequence[str], why: str) -> None:
    """Refuse an option that the command as it is asked for would drop.

    Raises: ValueError.
    """
    for name in names:
        if getattr(asked, name) not in (None, False):
            raise ValueError(f"--{name.replace('_', '-')} {why}")
