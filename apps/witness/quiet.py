"""Chains that move without an event: keyed documents, and the records of agents.

Agents' data is written, and read, so often that nothing is left beside it for anybody.
So the chains are asked themselves, before each note: where a document ends, its row
says, where an agent's record ends, its last entry. `witness_seen` has where the signer
found them last.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from apps.core import sql
from apps.core.notes.roots import Kind
from apps.timeline.verification import ComparedEnd, chain_ends
from apps.witness import heads

# Chains noticed by one statement; the next goes on with those that are left.
MOST = 1_000
# Ids of keyed documents and of agents: all from the first to before the second.
DOCUMENTS = ("doc_", "doc`")
AGENTS = ("agent_", "agent`")

# What waits already is left out: whatever it is, the signer comes to its end.
_DOCUMENTS = sql.across("""
SELECT d.id FROM timeline_session d
  LEFT JOIN witness_seen s ON s.chain_id = d.id AND s.kind = 'session'
  LEFT JOIN witness_moved m ON m.chain_id = d.id AND m.kind = 'session'
 WHERE d.id > %(first)s AND d.id < %(before)s AND m.since IS NULL
   AND d.head_number <> coalesce(s.number, -1)
 ORDER BY d.id LIMIT %(most)s
""")
_SEEN_AT = """
SELECT chain_id, number FROM witness_seen
 WHERE kind = 'record' AND chain_id = ANY (%s)
"""
_NOTE = """
INSERT INTO witness_moved AS m (kind, chain_id, times, since)
SELECT DISTINCT n.kind, n.id, 1, %(now)s::timestamptz
  FROM unnest(%(kinds)s::text[], %(ids)s::text[]) n (kind, id) ORDER BY 1, 2
    ON CONFLICT (kind, chain_id) DO UPDATE SET times = m.times + 1 RETURNING 1
"""
_SEEN = """
INSERT INTO witness_seen (kind, chain_id, number)
SELECT n.kind, n.id, n.number
  FROM unnest(%(kinds)s::text[], %(ids)s::text[], %(numbers)s::bigint[])
    AS n (kind, id, number) ORDER BY 1, 2
    ON CONFLICT (kind, chain_id) DO UPDATE SET number = excluded.number RETURNING 1
"""


def notice(*, now: datetime) -> None:
    """Note the documents, and the agents' records, that ended elsewhere last time."""
    asked = {"first": DOCUMENTS[0], "before": DOCUMENTS[1], "most": MOST}
    while found := [row.id for row in sql.rows(_DOCUMENTS, asked)]:
        _note([(Kind.SESSION, id) for id in found], now)
    after = ""
    while agents := heads.agents_after(after, MOST):
        _note([(Kind.RECORD, id) for id in _moved(agents)], now)
        after = agents[-1]


def documents(ids: Sequence[str]) -> list[str]:
    """Return the documents among these: some have a record, which moves with them."""
    return [id for id in ids if id.startswith(DOCUMENTS[0])]


def keep_seen(ends: Sequence[ComparedEnd]) -> None:
    """Keep where the signer found chains of this kind, also what it does not sign."""
    quiet = [one for one in ends if _is_quiet(one)]
    asked = {
        "kinds": [one.kind.value for one in quiet],
        "ids": [one.end.id for one in quiet],
        "numbers": [one.end.number for one in quiet],
    }
    if quiet:
        sql.rows(_SEEN, asked)


def _moved(agents: Sequence[str]) -> list[str]:
    """Return the agents whose record does not end where it was seen to end."""
    seen = {row.chain_id: row.number for row in sql.rows(_SEEN_AT, [list(agents)])}
    ends = chain_ends(Kind.RECORD, agents, [None] * len(agents))
    return [one.id for one in ends if one.number != seen.get(one.id)]


def _is_quiet(one: ComparedEnd) -> bool:
    begins = (DOCUMENTS[0], AGENTS[0])
    return one.end.number is not None and one.end.id.startswith(begins)


def _note(chains: Sequence[tuple[Kind, str]], now: datetime) -> None:
    asked = {
        "now": now,
        "kinds": [kind.value for kind, _ in chains],
        "ids": [id for _, id in chains],
    }
    if chains:
        sql.rows(_NOTE, asked)
