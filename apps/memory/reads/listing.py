"""What a session read, the newest first, and what became of it since."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.agents.acts import Act
from apps.memory.documents.finding import read_rows
from apps.memory.documents.owners import living_sessions
from apps.memory.documents.storing import Kept
from apps.memory.models import ContextRead, Memory, MemoryScope, Status
from apps.memory.operations.recalling import is_set_aside
from apps.timeline.models import Version
from apps.timeline.words import KeyedOp, Op

# What made the version that touched a memory last.
_BY_OP = {
    Op.ROLLBACK.value: "rolled back",
    KeyedOp.EXPIRE.value: "expired",
    KeyedOp.REMOVE.value: "deleted",
}
_BY_STATUS = {"dropped": "dropped", "replaced": "replaced"}
CHANGED, EXPIRED, GONE = "changed", "expired", "not there any more"
SET_ASIDE = "its source was rolled back"


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadMemory:
    """A memory as it was read, and as it stands; `kept` is None where none stands.

    `is_found` says whether its page can be opened; `since` what happened to it since.
    """

    id: str
    ordinal: int
    score: float | None
    kept: Kept | None
    is_found: bool
    since: Sequence[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Read:
    """One context that had memories: when, at which version, for whom."""

    note: ContextRead
    memories: Sequence[ReadMemory]


@dataclass(frozen=True, kw_only=True, slots=True)
class Reads:
    """What a session read, the newest first; `last_id` is where the page ended."""

    reads: Sequence[Read]
    has_more: bool
    last_id: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Now:
    """What stands of the memories of a page."""

    rows: Mapping[str, Memory]
    kept: Mapping[str, Kept]
    ops: Mapping[str, str]
    set_aside: frozenset[str]
    now: datetime


def list_reads(
    *, act: Act, session_id: str, limit: int, after_id: str | None = None
) -> Reads:
    """List which memories a session read, for who may see the session."""
    noted = ContextRead.objects.of_session(session_id).filter(project_id=act.project_id)
    page = list(noted.newest_first(after_id=after_id)[: limit + 1])
    shown = page[:limit]
    stands = _stands(act, {one for note in shown for one in note.memories})
    return Reads(
        reads=[Read(note=one, memories=_memories(one, stands)) for one in shown],
        has_more=len(page) > limit,
        last_id=shown[-1].id if shown else None,
    )


def _stands(act: Act, ids: Iterable[str]) -> _Now:
    rows = Memory.objects.of_project(act.project_id).filter(id__in=list(ids))
    visible = _visible(act, list(rows.defer("words")))
    kept = read_rows(act.scope, visible, now=act.now)
    known: dict[tuple[str, int], bool] = {}
    return _Now(
        rows={row.id: row for row in visible},
        kept={one.content.id: one for one in kept},
        ops=_ops(visible),
        set_aside=frozenset(one.content.id for one in kept if is_set_aside(one, known)),
        now=act.now,
    )


def _visible(act: Act, rows: Sequence[Memory]) -> list[Memory]:
    """Leave out those of a session that is over: they ended with it."""
    owners = {row.owner for row in rows if row.scope == MemoryScope.SESSION}
    living = living_sessions(act.scope, owners, now=act.now)
    return [
        row for row in rows if row.scope != MemoryScope.SESSION or row.owner in living
    ]


def _ops(rows: Sequence[Memory]) -> dict[str, str]:
    """Return by what each memory was touched last, document by document."""
    found: dict[str, str] = {}
    for document_id in sorted({row.document_id for row in rows}):
        mine = {row.id: row.number for row in rows if row.document_id == document_id}
        versions = Version.objects.filter(
            session_id=document_id, number__in=sorted(set(mine.values()))
        )
        ops = dict(versions.values_list("number", "op"))
        found |= {one: ops.get(number, "") for one, number in mine.items()}
    return found


def _memories(note: ContextRead, stands: _Now) -> list[ReadMemory]:
    told = zip(note.memories, note.ordinals, note.scores, strict=True)
    return [
        ReadMemory(
            id=one,
            ordinal=ordinal,
            score=score,
            kept=stands.kept.get(one),
            is_found=one in stands.rows,
            since=_since(one, ordinal, stands),
        )
        for one, ordinal, score in told
    ]


def _since(memory_id: str, ordinal: int, stands: _Now) -> list[str]:
    """Say what happened to a memory since this version of it was read."""
    row = stands.rows.get(memory_id)
    if row is None:
        return [GONE]
    by_op = _BY_OP.get(stands.ops[memory_id])
    if memory_id not in stands.kept:
        # Its time may be over before the worker has recorded that.
        return [by_op if row.status == Status.REMOVED and by_op else EXPIRED]
    found = []
    if row.ordinal != ordinal:
        found.append(_BY_STATUS.get(row.status) or by_op or CHANGED)
    if memory_id in stands.set_aside:
        found.append(SET_ASIDE)
    return found
