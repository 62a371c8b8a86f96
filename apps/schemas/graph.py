"""Which migrations lead from one version of a schema to another: one way, or none.

There is never a second way and never a way back, so what a state becomes does not
depend on who chooses, and of two versions at most one is the older.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from apps.schemas.errors import UnacceptableMigration


class Edge(Protocol):
    """A migration, as far as its way goes."""

    @property
    def from_version(self) -> str: ...
    @property
    def to_version(self) -> str: ...


One = TypeVar("One", bound=Edge)


def way(edges: Sequence[One], source: str, target: str) -> list[One] | None:
    """Return the migrations from one version to another; None where none lead there."""
    leads: dict[str, list[One]] = {}
    for edge in edges:
        leads.setdefault(edge.from_version, []).append(edge)
    known: dict[str, list[One]] = {source: []}
    ahead = [source]
    while ahead:
        at = ahead.pop()
        for edge in leads.get(at, ()):
            if edge.to_version not in known:
                known[edge.to_version] = [*known[at], edge]
                ahead.append(edge.to_version)
    return known.get(target)


def is_older(edges: Sequence[Edge], declared: Sequence[str], one: str, of: str) -> bool:
    """Say whether a version is older than another: it leads there, or came before."""
    if one == of:
        return False
    if way(edges, one, of) is not None:
        return True
    if way(edges, of, one) is not None or one not in declared or of not in declared:
        return False
    return declared.index(one) < declared.index(of)


def require_one_way(edges: Sequence[Edge], source: str, target: str) -> None:
    """Hold a new migration against those there are.

    Raises: UnacceptableMigration where it leads in a circle, or a second way to where
    one led before.
    """
    if source == target or way(edges, target, source) is not None:
        raise UnacceptableMigration(
            "Migrations lead in a circle with this one.", param="/to"
        )
    before = _reaching(edges, source)
    after = _reached(edges, target)
    for one in sorted(before):
        twice = sorted(after & _reached(edges, one))
        if twice:
            raise UnacceptableMigration(
                f"There would be two ways from {one} to {twice[0]}.", param="/to"
            )


def _reached(edges: Iterable[Edge], source: str) -> set[str]:
    edges, found = list(edges), {source}
    while (
        more := {edge.to_version for edge in edges if edge.from_version in found}
        - found
    ):
        found |= more
    return found


def _reaching(edges: Iterable[Edge], target: str) -> set[str]:
    edges, found = list(edges), {target}
    while (
        more := {edge.from_version for edge in edges if edge.to_version in found}
        - found
    ):
        found |= more
    return found
