"""Where chains end, beside what was signed of them last: of many in one statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from apps.core import sql
from apps.core.notes.index import Entry, Index
from apps.core.notes.roots import Head, Kind

# Two reads of the primary key each: the last, and the one that was signed last; and
# of tombstones what stands for that one.
ENDS = """
SELECT s.id, head.number, head.chain, signed.chain AS at_signed,
       coalesce(gone.within, false) AS gone_within,
       coalesce(gone.chains, '{{}}') AS gone_chains
  FROM unnest(%(ids)s::text[], %(numbers)s::bigint[]) AS s (id, number)
  LEFT JOIN LATERAL (SELECT h.number, h.chain FROM {table} h
                      WHERE h.{key} = s.id ORDER BY h.number DESC LIMIT 1) head ON true
  LEFT JOIN {table} signed ON signed.{key} = s.id AND signed.number = s.number
  LEFT JOIN LATERAL (SELECT {gone} FROM timeline_tombstone t
                      WHERE t.session_id = s.id AND {covers}) gone ON true
"""
OF_KIND = {
    Kind.SESSION: ENDS.format(
        table="timeline_version",
        key="session_id",
        gone="bool_or(t.last_number > s.number) AS within,"
        " array_agg(t.chain_after) FILTER (WHERE t.last_number = s.number) AS chains",
        covers="t.kind <> 'emptied' AND s.number"
        " BETWEEN t.first_number AND t.last_number",
    ),
    # A document's own record goes with it, in an erasure.
    Kind.RECORD: ENDS.format(
        table="audit_auditrecord",
        key="stream_id",
        gone="count(*) > 0 AS within, NULL::bytea[] AS chains",
        covers="t.kind = 'removed' AND t.reason = 'erasure'",
    ),
}
# Ids of what can be there again after it was erased: documents of memories.
AGAIN = "doc_"


@dataclass(frozen=True, kw_only=True, slots=True)
class End:
    """Where a chain ends, and its link at the number that was signed last."""

    id: str
    number: int | None
    chain: bytes | None
    at_signed: bytes | None
    # Whether a tombstone goes on beyond the number that was signed last, and what
    # those say of the chain that end there.
    gone_within: bool = False
    gone_chains: Sequence[bytes] = ()

    def is_signed(self, chain: bytes | None) -> bool:
        """Whether the chain is what was signed, or was, until a removal took it."""
        return self.at_signed == chain or self.is_accounted_for(chain)

    def is_accounted_for(self, chain: bytes | None) -> bool:
        """Whether a tombstone stands for what was signed and is not there any more."""
        if self.at_signed is not None and not self.id.startswith(AGAIN):
            return False
        return self.gone_within or chain in [bytes(one) for one in self.gone_chains]

    def head(self, kind: Kind) -> Head:
        return Head(kind, self.id, self.number, self.chain)


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedEnd:
    """The end of a chain, and what the newest note about it says."""

    kind: Kind
    end: End
    signed: Entry | None

    @property
    def is_signed(self) -> bool:
        return self.signed is not None and self.signed.number is not None

    @property
    def holds(self) -> bool:
        """Whether the chain is what was signed, as far as that goes."""
        if self.signed is None or self.signed.number is None:
            return True
        return self.end.is_signed(self.signed.chain)

    @property
    def is_newer(self) -> bool:
        """Whether it goes on after what was signed, or nothing was."""
        if self.end.number is None:
            return False
        if self.signed is None or self.signed.number is None:
            return True
        return self.end.number > self.signed.number


def compare_ends(index: Index, kind: Kind, ids: Sequence[str]) -> Iterator[ComparedEnd]:
    """Compare where these chains end with what the index has of them."""
    known = index.latest([f"{kind} {id}" for id in ids])
    entries = {id: known.get(f"{kind} {id}") for id in ids}
    numbers = [entry.number if entry else None for entry in entries.values()]
    for end in chain_ends(kind, list(entries), numbers):
        yield ComparedEnd(kind=kind, end=end, signed=entries[end.id])


def chain_ends(
    kind: Kind, ids: Sequence[str], numbers: Iterable[int | None]
) -> list[End]:
    """Return where these chains end; `numbers` are those that were signed last."""
    asked = {"ids": list(ids), "numbers": list(numbers)}
    return sql.records(End, OF_KIND[kind], asked)
