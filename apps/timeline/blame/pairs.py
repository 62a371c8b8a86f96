"""A version and the one before it, with their states, for blame to look into.

What is gone ends a walk: who set the value before is not known any more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from apps.agents.scope import Scope
from apps.core import json
from apps.core.admission.work import WorkBudget, of_json
from apps.diffs.changes import MISSING, Json
from apps.timeline.errors import (
    ContentsErased,
    SessionNotFound,
    VersionNotFound,
    VersionPruned,
)
from apps.timeline.models import Session
from apps.timeline.versions import fetching, gone, reading
from apps.timeline.versions.reading import VersionRow

LOOK_BYTES = 200_000
# Where change rows were thinned, the walk looks into each version: so many headers are
# read at once.
AHEAD = 32


# How a version is read that the caller names: as agents see it, or as people do.
Find = Callable[..., VersionRow]


class Number(NamedTuple):
    """A version of some session: the history of a fork lies in several."""

    session_id: str
    number: int


@dataclass(frozen=True, slots=True)
class NotBefore:
    """Where a walk ended because what came before is gone, and what stands for it.

    What it follows stood there in `version`; who set it, that version or one of those
    that are gone, is not known any more.
    """

    version: Number
    error: VersionPruned | ContentsErased


class Gone(Exception):
    """What would have to be looked into is gone."""

    def __init__(self, error: VersionPruned | ContentsErased, known: Number) -> None:
        self.error, self.known = error, known


@dataclass(frozen=True, slots=True)
class Pair:
    """A version and the one before it, with their states."""

    after: VersionRow
    before: VersionRow | None
    new: Json
    old: Json
    is_hidden: bool

    @property
    def looks(self) -> int:
        """How many looks into small states this one amounts to."""
        size = self.after.size + (self.before.size if self.before else 0)
        return 1 + size // LOOK_BYTES


class Pairs:
    """Reads pairs of versions, newest first, and keeps what the next one needs."""

    def __init__(self, scope: Scope, now: datetime, find: Find) -> None:
        self.scope, self.now, self._find = scope, now, find
        self._budget = WorkBudget()
        self._has_read = False
        self._rows: dict[Number, VersionRow] = {}
        # The last state looked into is often the next one's later side.
        self._states: dict[Number, Json] = {}

    @property
    def is_spent(self) -> bool:
        return self._budget.is_spent

    def read(self, version: Number, known: Number) -> Pair:
        """Return the version and the one before it; `known` is what is known above.

        Raises: Gone, where one of the two is not there, or not what it held.
        """
        session_id, number = version
        after = self._there(version, known)
        before: VersionRow | None
        is_hidden = False
        if number:
            before = self._there(Number(session_id, number - 1), version)
        else:
            before, is_hidden = self.origin(session_id, version)
        earlier = [] if before is None else [before]
        new, *old = self._parsed([after, *earlier])
        return Pair(after, before, new, old[0] if old else MISSING, is_hidden)

    def beside(self, wanted: Number) -> Json | None:
        """Return the state of a version of another history, None where it is not seen.

        What a merge was made of may be gone, or be no session of the caller's.
        """
        try:
            version = self._find(self.scope, *wanted, now=self.now)
            written = reading.state(version)
        except (SessionNotFound, VersionNotFound, VersionPruned, ContentsErased):
            return None
        self._budget.spend(of_json(written))
        return json.parse(written)

    def _there(self, wanted: Number, known: Number) -> VersionRow:
        """Return a version with its contents, read with some of those before it.

        Raises: Gone; `known` is what the walk knows above it.
        """
        session_id, number = wanted
        if wanted not in self._rows:
            low = max(0, number - (AHEAD if self._has_read else 1))
            found = fetching.versions_at(session_id, range(low, number + 1))
            self._rows = {Number(session_id, one.number): one for one in found}
            self._has_read = True
        row = self._rows.get(wanted)
        try:
            if row is None:
                gone.require_not_pruned(session_id, number, number)
                raise VersionNotFound(f"v{number} of {session_id} is not there.")
            reading.require_contents(row)
        except (VersionPruned, ContentsErased) as error:
            raise Gone(error, known) from None
        return row

    def _parsed(self, versions: list[VersionRow]) -> list[Json]:
        """Return their states; keep them, and no others, for the next look."""
        numbers = [Number(one.session_id, one.number) for one in versions]
        known = {one: self._states[one] for one in numbers if one in self._states}
        unread = [
            version
            for version, one in zip(versions, numbers, strict=True)
            if one not in known
        ]
        for one, written in fetching.states(unread).items():
            self._budget.spend(of_json(written))
            known[Number(*one)] = json.parse(written)
        self._states = known
        return [known[one] for one in numbers]

    def origin(self, session_id: str, known: Number) -> tuple[VersionRow | None, bool]:
        """Return the version that a session was forked from, and whether it hides.

        Raises: Gone.
        """
        told = Session.objects.values_list("origin_session_id", "origin_number")
        origin_id, number = told.get(id=session_id)
        if origin_id is None:
            return None, False
        try:
            origin = self._find(self.scope, origin_id, number, now=self.now)
            reading.require_contents(origin)
        except SessionNotFound:
            return None, True
        except (VersionPruned, ContentsErased) as error:
            raise Gone(error, known) from None
        return origin, False
