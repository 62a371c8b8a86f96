"""What every answer has in common.

Each keeps the whole answer in `raw`, so that what a newer server tells can be read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Generic, Self, TypeVar

from stepback.errors import UnexpectedAnswer

Json = Any
Item = TypeVar("Item")


@dataclass(frozen=True, kw_only=True)
class Answer:
    """An object of an answer."""

    raw: Mapping[str, Json] = field(repr=False, compare=False)

    @classmethod
    def of(cls, given: Json) -> Self:
        """Read an object.

        Raises: UnexpectedAnswer unless every required field is there.
        """
        if not isinstance(given, dict):
            raise UnexpectedAnswer(f"{cls.__name__} is not an object.")
        known = {one.name for one in fields(cls)} - {"raw"}
        found = {name: given[name] for name in known & given.keys()}
        try:
            return cls(raw=given, **found)
        except TypeError as error:
            raise UnexpectedAnswer(f"{cls.__name__} is not complete: {error}") from None


@dataclass(frozen=True, kw_only=True)
class Page(Answer, Generic[Item]):
    """One page of a list. While `has_more`, ask on after `last_id`, `next` or
    `next_cursor`, whichever it has."""

    data: Sequence[Item]
    has_more: bool
    last_id: str | None = None
    next: str | None = None
    notices: Sequence[str] = ()
    current_version: int | None = None
    next_cursor: str | None = None
    total: int | None = None
    # Tombstones of what was removed between the items of this page.
    removed: Sequence[Mapping[str, Json]] = ()

    def __iter__(self) -> Iterator[Item]:
        """Go through the items of this page."""
        return iter(self.data)


def page_of(read: Callable[[Json], Item]) -> Callable[[Json], Page[Item]]:
    """Return what reads a page of such items.

    What it returns raises: UnexpectedAnswer.
    """

    def of(given: Json) -> Page[Item]:
        page: Page[Item] = Page.of(given)
        if not isinstance(page.data, list):
            raise UnexpectedAnswer("The data of a page is no list.")
        items = tuple(read(one) for one in page.data)
        named = {one.name: getattr(page, one.name) for one in fields(page)}
        return Page(**{**named, "data": items})

    return of


def anything(given: Json) -> Json:
    """Return the answer as it is."""
    return given


def described(given: Json) -> Mapping[str, Json]:
    """Return an answer whose fields are not ours to read.

    Raises: UnexpectedAnswer unless it is an object.
    """
    if not isinstance(given, dict):
        raise UnexpectedAnswer("The answer is not an object.")
    return given
