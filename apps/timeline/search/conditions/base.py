"""What the finder knows of a clause: which sessions may meet it, which do, and where.

A condition with an index gives candidates, newest first: all sessions that meet it,
and perhaps some that do not. `among` decides. `hits` tells in which versions, of many
sessions at once: a page takes as many statements for a hundred results as for one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from typing import Any, ClassVar, Protocol

from apps.core import keyset, sql
from apps.diffs.changes import MISSING, Json
from apps.timeline.search.clauses import Clause
from apps.timeline.search.index_scan import IndexScan


class Candidate(Protocol):
    """The columns of a session by which it is judged; the caller may see it.

    A row of the statement as it is: to make objects of a thousand took 9 ms.
    """

    id: str
    agent: str
    user_id: str | None
    external_id: str | None
    origin_session_id: str | None
    status: str
    created_at: datetime
    updated_at: datetime
    head_number: int
    rollback_count: int
    review: str | None


@dataclass(frozen=True, slots=True)
class Thing:
    """What a value or a key names in a state, and where its changes are recorded."""

    pointer: str
    path_key: bytes
    # Where its name is recorded, if that stands in it: with another it is another.
    name_key: bytes | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """Where a clause is met.

    `version` is None for what is true of the session as a whole; `where` says in what
    kind of thing, and `turn_number` in which turn.
    """

    where: str
    version: int | None = None
    pointer: str | None = None
    value: Json = MISSING
    turn_number: int | None = None
    # Of several clauses, any of which may be met, the one that is.
    clause: str | None = None
    # The words around it, where it is in a text.
    quote: str | None = None
    # What is named there, for finding the version that changed it last.
    things: tuple[Thing, ...] = ()


# The newest hits of each session, by its id.
Hits = Mapping[str, Sequence[Hit]]

_EACH = """
SELECT w.id AS session_id, found.*
  FROM unnest(%(sessions)s::varchar[]) w (id)
 CROSS JOIN LATERAL ({query}) found
"""


class Cost(IntEnum):
    """What it takes to judge a session; the cheaper conditions judge first."""

    INDEX = 0
    HEAD = 1  # perhaps a look into its head
    HISTORY = 2  # perhaps a look into many of its versions


class Condition(ABC):
    """One clause, as the finder answers it. Most need to say only some of it."""

    cost: Cost = Cost.INDEX
    # Whether `hits` may be asked of sessions that do not meet the clause, too.
    tells_only_met: ClassVar[bool] = False
    # Whether what it looks for stands in versions, which may have gone.
    reads_history: bool = False

    def __init__(self, clause: Clause) -> None:
        self.clause = clause

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        """Return the next session ids, newest first; None: there is no index."""
        return None

    @abstractmethod
    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        """Return the ids of those that meet the clause."""

    @abstractmethod
    def hits(
        self, sessions: Sequence[Candidate], before: int | None, limit: int
    ) -> Hits:
        """Tell where sessions that meet the clause do so, newest version first.

        At most `limit` of each, below version `before`. A hit without a version
        stands for all versions.
        """

    def newest(self, sessions: Sequence[Candidate]) -> dict[str, Hit]:
        """Tell of sessions that meet the clause the newest place where they do."""
        found = self.hits(sessions, None, 1)
        return {one: hits[0] for one, hits in found.items() if hits}

    def reasons(self, sessions: Sequence[Candidate]) -> Hits:
        """Tell of sessions that meet the clause why: once, or once for each way."""
        return {one: [hit] for one, hit in self.newest(sessions).items()}

    def has_place(self, hit: Hit) -> bool:
        """Say whether a version's state tells more of a hit: `told` wants it."""
        return False

    def told(self, hit: Hit, state: Json) -> Hit:
        """Add to a hit what the state of its version tells."""
        return hit

    def notices(self) -> list[str]:
        """Say what was not answered from an index, once the page is found."""
        return []

    def where_looked(self) -> str | None:
        """Say as what the clause was looked for, where that is not in its words."""
        return None


class Column(Condition):
    """A condition on a column of the session, without an index of its own."""

    def __init__(
        self, clause: Clause, where: str, wanted: Any, *, notice: str | None = None
    ) -> None:
        super().__init__(clause)
        self.where = where
        self.wanted = wanted
        self.notice = notice

    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        return {one.id for one in sessions if self.wanted(one)}

    def hits(
        self, sessions: Sequence[Candidate], before: int | None, limit: int
    ) -> Hits:
        return {one.id: [Hit(where=self.where)] for one in sessions}

    def notices(self) -> list[str]:
        return [self.notice] if self.notice else []


class Listed(Column):
    """A condition on a column that has an index: the column equals a value."""

    def __init__(
        self, clause: Clause, where: str, wanted: Any, columns: dict[str, str]
    ) -> None:
        super().__init__(clause, where, wanted)
        self.columns = columns

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        return ids_where(self.columns, before, limit)


class TagCondition(Condition):
    """A tag of the session, with a statement that tells the versions that set it."""

    tells_only_met = True
    reads_history = True

    def __init__(
        self, clause: Clause, where: str, scan: IndexScan, query: str, name: str
    ) -> None:
        super().__init__(clause)
        self.where = where
        self.scan = scan
        self.query = query
        self.name = name

    def candidates(self, before: str | None, limit: int) -> list[str] | None:
        return self.scan.below(before, limit)

    def among(self, sessions: Sequence[Candidate]) -> set[str]:
        return self.scan.among([one.id for one in sessions])

    def hits(
        self, sessions: Sequence[Candidate], before: int | None, limit: int
    ) -> Hits:
        asked = {"before": before, "limit": limit, "name": self.name}
        value = self.name or MISSING
        return {
            session_id: [
                Hit(where=self.where, version=row.number, value=value) for row in rows
            ]
            for session_id, rows in of_each(self.query, sessions, asked).items()
        }


def newest_of(lists: Sequence[list[str] | None], limit: int) -> list[str] | None:
    """Merge lists of candidates, each the next `limit`; None: one has no index."""
    known = [some for some in lists if some is not None]
    if len(known) < len(lists):
        return None
    # Of a full list, what comes after its last is not known yet.
    floor = max((some[-1] for some in known if len(some) == limit), default="")
    both = {one for some in known for one in some if one >= floor}
    return sorted(both, reverse=True)[:limit]


def of_each(
    query: str, sessions: Sequence[Candidate], asked: dict[str, Any]
) -> dict[str, list[Any]]:
    """Ask a query about `w.id` of each of these sessions, in one statement.

    Its rows have a `number`, and come with the highest first.
    """
    found: dict[str, list[Any]] = defaultdict(list)
    if sessions:
        ids = {"sessions": [one.id for one in sessions]}
        for row in sql.rows(_EACH.format(query=query), asked | ids):
            found[row.session_id].append(row)
    for rows in found.values():
        rows.sort(key=lambda row: -row.number)
    return found


def ids_where(columns: dict[str, str], before: str | None, limit: int) -> list[str]:
    """Return session ids by equal columns, newest first, as its lists are indexed.

    The names of the columns are ours, the values are parameters.
    """
    clauses = "".join(f" AND s.{name} = %({name})s" for name in columns)
    found = sql.rows(
        "SELECT s.id FROM timeline_session s"  # noqa: S608
        f" WHERE s.kind = 'session' AND {keyset.below_id('s.id')}{clauses}"
        " ORDER BY s.id DESC LIMIT %(limit)s",
        {**columns, "before": before, "limit": limit},
    )
    return [row.id for row in found]
