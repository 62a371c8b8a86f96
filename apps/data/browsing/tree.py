"""Browse keys as a tree: their parts end at `:` or `/`.

What begins alike stands once, with how many keys it is; PostgreSQL skips from one
beginning to the next, so that a million keys under one cost no more than ten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit.streams import Operation
from apps.core import sql
from apps.data.documents.values import KeptValue
from apps.data.operations.reading import MOST_COUNTED, bodies_of, kept
from apps.data.operations.recording import found, record_unless_off, told
from apps.timeline import queries
from apps.timeline.operations import Document
from apps.timeline.queries import EntryRow, Standing, behind

SEPARATORS = ":/"
# Values that are read for one page together; longer ones are opened by themselves.
READ_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Branch:
    """Keys that begin alike up to a separator; `keys` ends at the limit of counting."""

    prefix: str
    keys: int

    @property
    def has_more(self) -> bool:
        return self.keys > MOST_COUNTED


@dataclass(frozen=True, kw_only=True, slots=True)
class Leaf:
    """A key of its own, who set it last, and its value unless that is too long."""

    value: KeptValue
    actor_kind: str
    actor_label: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Tree:
    """One level of an agent's keys, in their order; `after` leads to the next page."""

    agent: Agent
    # None where the agent keeps nothing yet.
    standing: Standing | None
    nodes: Sequence[Branch | Leaf]
    after: str | None


_LEVEL = sql.of_session(
    sql.query(
        "data",
        "level",
        part="(SELECT substring(substr(k.key, %(from)s + 1) FROM '^[^:/]*[:/]') part)",
        branch="left(k.key, %(from)s) || p.part",
        next=r"CASE WHEN p.part IS NULL THEN k.key || E'\x01'"
        " ELSE left(k.key, %(from)s + length(p.part) - 1)"
        " || CASE right(p.part, 1) WHEN ':' THEN ';' ELSE '0' END END",
    )
)
_LEAVES = sql.of_session("""
SELECT h.key, h.number, h.ordinal, h.body_number, h.size, h.created_at, h.updated_at,
       h.expires_at, b.commitment, v.actor_kind, v.actor_label
  FROM timeline_keyhead h
  JOIN timeline_version b ON b.session_id = %(session)s AND b.number = h.body_number
  JOIN timeline_version v ON v.session_id = %(session)s AND v.number = h.number
 WHERE h.session_id = %(session)s AND h.key = ANY(%(keys)s::text[])
""")


def browse(
    *, act: Act, reference: str, prefix: str = "", after: str = "", limit: int
) -> Tree:
    """Return what stands right below a prefix, behind `after`, with short values.

    Raises: AgentNotFound.
    """
    agent, document = found(act, reference)
    met = sql.rows(
        _LEVEL,
        {
            "session": document.id,
            "first": max(prefix, _following(prefix, after)),
            "from": len(prefix),
            "before": behind(prefix),
            "limit": limit + 1,
            "most": MOST_COUNTED + 1,
            "now": act.now,
        },
    )
    page = met[:limit]
    leaves = _leaves(document, [one.key for one in page if one.branch is None])
    nodes = [
        leaves[one.key] if one.branch is None else Branch(one.branch, one.keys)
        for one in page
        # Removed meanwhile: the second statement sees a later moment.
        if one.branch is not None or one.key in leaves
    ]
    about = told(Operation.DATA_LIST, prefix, details={"count": len(nodes)})
    record_unless_off(act, document, about)
    return Tree(
        agent=agent,
        standing=queries.standing(document.id, now=act.now),
        nodes=nodes,
        after=page[-1].branch or page[-1].key if len(met) > limit else None,
    )


def _following(prefix: str, after: str) -> str:
    """Return the first text behind a key, or behind all of a branch."""
    is_branch = len(after) > len(prefix) and after[-1] in SEPARATORS
    return behind(after) if is_branch else after + "\x01" * bool(after)


def _leaves(document: Document, keys: Sequence[str]) -> dict[str, Leaf]:
    if not keys:
        return {}
    rows = sql.rows(_LEAVES, {"session": document.id, "keys": sql.text_array(keys)})
    who = {row.key: (row.actor_kind, row.actor_label) for row in rows}
    entries = [_entry(row) for row in rows]
    read = _readable(entries)
    bodies = bodies_of(document, read)
    return {
        row.key: Leaf(
            value=kept(row, bodies.get(row.body_number or 0, {})),
            actor_kind=who[row.key][0],
            actor_label=who[row.key][1],
        )
        for row in entries
    }


def _entry(row: Any) -> EntryRow:
    """Return what stands under a key now: no policy empties that."""
    told = row._asdict()
    del told["actor_kind"], told["actor_label"]
    return EntryRow(**told)


def _readable(rows: Sequence[EntryRow]) -> list[EntryRow]:
    """Return the shortest of them, as many as are read for one page."""
    fitting: list[EntryRow] = []
    size = 0
    for row in sorted(rows, key=lambda one: one.size):
        size += row.size
        if size > READ_BYTES:
            break
        fitting.append(row)
    return fitting
