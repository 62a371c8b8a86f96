"""Verifies a keyed document: its versions as those of sessions, then what follows.

Each version has its record in the document's stream, and no record names another.
Every version says in its body what it did, so what it left under its keys is recomputed
from that and the entries before it; heads and the tally follow from the entries.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cached_property
from itertools import chain
from typing import Any

from apps.core import json, sql
from apps.core.errors import Busy, DomainError
from apps.timeline.bodies import CorruptBody, unframe
from apps.timeline.ledger.documents.values import CONFIG_KEY
from apps.timeline.models import Session
from apps.timeline.verification import checks, rows
from apps.timeline.verification.contents import Bodies
from apps.timeline.verification.documents import records
from apps.timeline.verification.documents.gaps import Gaps, Left, Reach
from apps.timeline.verification.findings import Finding, Kind, Problems
from apps.timeline.verification.limits import Limits
from apps.timeline.verification.removals import NONE, Removals, hollow_body, of_document
from apps.timeline.verification.rows import StoredBody, StoredVersion
from apps.timeline.verification.turns.walk import TurnWalk
from apps.timeline.versions.keyed.keys import LAST_KEY, behind
from apps.timeline.versions.keyed.values import ENTRY
from apps.timeline.versions.proof import NO_CHAIN
from apps.timeline.words import Cause, KeyedOp, Op

CHUNK = 200
# Behind the empty key, under which the config stands; no key is less.
FIRST_KEY = "\x01"
# Of what differs as a whole (ordinals, heads), so many are named.
NAMED = 100
# What reading a body raises that is committed to, and says nothing an entry says.
_NO_ENTRY = (AttributeError, KeyError, TypeError, ValueError)

_ENTRIES = sql.of_session(sql.query("timeline", "verify_entries"))
_REMOVED = sql.of_session(sql.query("timeline", "verify_removed"))
_ORDINALS = sql.of_session(sql.query("timeline", "verify_ordinals"))
_HEADS = sql.of_session(sql.query("timeline", "verify_heads"))
_TALLY = sql.of_session(sql.query("timeline", "verify_tally"))
_RESTORED = sql.of_session("""
SELECT r.key, r.body_number, r.size, r.expires_at
  FROM timeline_keyed_restored_v2(
           %(session)s, %(target)s::bigint, %(head)s::bigint, %(at)s::timestamptz,
           %(config)s::boolean, %(data)s::boolean, %(first)s::text, %(before)s::text,
           %(seen)s::bigint) r
 WHERE r.differs
""")


class DocumentWalk:
    """One pass over a keyed document; the counts are those of `verify_session`."""

    def __init__(self, document_id: str, told: Callable[[int], None]) -> None:
        self.document_id = document_id
        self.told = told
        self.versions = self.bodies = 0
        self.before: StoredVersion | None = None
        self._next = 0
        self.chain_start = self.chain_end = NO_CHAIN
        self.has_more = False
        budget = Limits().budget()
        self.contents = Bodies(document_id, budget)
        # It has none.
        self.turns = TurnWalk(document_id, budget)
        self.removed = NONE
        self.gaps = Gaps(document_id, NONE)

    def findings(self) -> Iterator[Finding]:
        self.removed = self._begun()
        self.gaps = Gaps(self.document_id, self.removed)
        for number, (kind, sentence) in self.removed.problems():
            yield self._finding(number, kind, sentence)
        while chunk := self._chunk():
            left: defaultdict[int, list[Left]] = defaultdict(list)
            asked = {"first": self._next, "last": chunk[-1].number}
            for row in self._rows(_ENTRIES, **asked):
                left[row.number].append(
                    Left(row.key, row.body_number, row.size, row.expires_at, row.cause)
                )
            for version, body in rows.with_bodies(chunk):
                yield from self._crossed()
                yield from self._version(version, body, left.pop(version.number, []))
            for number in self._unrecorded(chunk):
                sentence = f"no record of {self.stream_id} says who made it"
                yield self._finding(number, Kind.NUMBER, sentence)
            for number in left:
                yield self._finding(number, Kind.NUMBER, "it has entries, but no row")
            self.told(self.versions)
        yield from self._whole()

    def _chunk(self) -> list[StoredVersion]:
        after = self._next - 1
        return rows.versions(self.document_id, after=after, limit=CHUNK)

    def _begun(self) -> Removals:
        """Read what was emptied; what a removal moved may stand less deep."""
        row = Session.with_documents.filter(id=self.document_id).first()
        if row is None:
            return NONE
        self.contents.is_exact = not row.erasures
        return of_document(self.document_id, row.created_at, moved=bool(row.erasures))

    @cached_property
    def stream_id(self) -> str | None:
        # Without a project the leaves do not hold either, and say so.
        return records.stream_of(self.document_id)

    def _unrecorded(self, chunk: list[StoredVersion]) -> list[int]:
        return records.unrecorded(self.stream_id, chunk) if self.stream_id else []

    def _version(
        self, version: StoredVersion, body: StoredBody | None, left: list[Left]
    ) -> Iterator[Finding]:
        problems = checks.of_document(
            version, self.before, self.chain_end, self.removed
        )
        for kind, sentence in chain(problems, self._contents(version, body, left)):
            yield self._finding(version.number, kind, sentence)
        self.go_on_behind(version)
        self.versions += 1

    def go_on_behind(self, version: StoredVersion) -> None:
        """Have the next version be the one that follows this."""
        self.before, self.chain_end = version, version.chain
        self._next = version.number + 1

    def _crossed(self) -> Iterator[Finding]:
        """Go on from the tombstones that stand where the next version would."""
        while stone := self.removed.at(self._next):
            for kind, sentence in self.removed.crossed(stone, self.chain_end):
                yield self._finding(stone.first_number, kind, sentence)
            self.before, self.chain_end = None, bytes(stone.chain_after)
            self._next = stone.last_number + 1

    def _contents(
        self, version: StoredVersion, body: StoredBody | None, left: list[Left]
    ) -> Problems:
        if body is None:
            return  # the checks have said it
        if self.removed.emptied_body(version):
            yield from chain(hollow_body(body), self._emptied(version, left))
            return
        self.bodies += 1
        try:
            raw = self.contents.checked(body, version.commitment)
            said = {part.name: part.data for part in unframe(raw)}[ENTRY]
            told = json.parse(said)
            expected = self._follows(version, told, len(said))
            reach = self._reach(version, told)
        except Busy:
            raise  # its store or its key is away: nothing is known of the body
        except (CorruptBody, DomainError, *_NO_ENTRY) as error:
            yield Kind.BODY, f"its body: {error}"
            return
        if not self.gaps.agree(set(left), set(expected), reach):
            yield Kind.DERIVED, "its entries do not follow from what it did"
        size = sum(one.size for one in expected if one.cause == Cause.SET)
        if version.size != size:
            yield Kind.DERIVED, f"its size is said to be {version.size}, not {size}"

    def _emptied(self, version: StoredVersion, left: list[Left]) -> Problems:
        """Yield what is wrong with the entry of a value that was emptied.

        What proved its key went with it: the entry has to be one of a value set here.
        """
        if version.op != KeyedOp.SET:
            yield Kind.BODY, "it was emptied, and no removal empties such a version"
        own = (version.number, version.size, Cause.SET)
        found = [(one.body_number, one.size, one.cause) for one in left if one.key]
        if found != [own] or len(left) != 1:
            yield Kind.DERIVED, "its entries do not follow from what it did"

    def _follows(self, version: StoredVersion, said: Any, size: int) -> list[Left]:
        """Return what a version that says this leaves under its keys."""
        match version.op:
            case Op.CREATE:
                return []
            case KeyedOp.SET:
                value = len(said["value"].encode())
                return [self._set(version, said["key"], value, said["expires_at"])]
            case KeyedOp.CONFIGURE:
                return [self._set(version, CONFIG_KEY, size, None)]
            case Op.ROLLBACK:
                return self._restored(version, said)
            case _:
                return self._gone(version, said)

    def _set(
        self, version: StoredVersion, key: str, size: int, expires_at: str | None
    ) -> Left:
        end = None if expires_at is None else datetime.fromisoformat(expires_at)
        return Left(key, version.number, size, end, Cause.SET)

    def _restored(self, version: StoredVersion, said: Any) -> list[Left]:
        if said["restored"] != version.restored_number:
            raise ValueError("it restored another version than it names")
        found = self._rows(
            _RESTORED,
            target=version.restored_number,
            head=version.number - 1,
            at=version.created_at,
            config="config" in said["parts"],
            data="data" in said["parts"],
            **self._step(said),
        )
        return [
            Left(
                row.key,
                row.body_number,
                row.size,
                row.expires_at,
                Cause.REMOVED if row.body_number is None else Cause.RESTORED,
            )
            for row in found
        ]

    def _step(self, said: Any) -> dict[str, Any]:
        """Return the keys that one step of a restore took; None: it was no step."""
        return {name: said.get(name) for name in ("first", "before", "seen")}

    def _gone(self, version: StoredVersion, said: Any) -> list[Left]:
        reach = self._reach(version, said)
        is_expiry = reach.cause is Cause.EXPIRED
        moment = datetime.fromisoformat(said["expired"]) if is_expiry else None
        found = self._rows(
            _REMOVED,
            number=version.number,
            first=reach.first,
            before=reach.before,
            moment=moment,
        )
        return [Left(row.key, None, 0, None, reach.cause) for row in found]

    def _reach(self, version: StoredVersion, said: Any) -> Reach:
        """Return by what stood where a version's entries follow, and of which keys."""
        stood, target = [version.number - 1], version.restored_number
        match version.op:
            case Op.CREATE | KeyedOp.SET | KeyedOp.CONFIGURE:
                return Reach()
            case Op.ROLLBACK if target is not None and "data" in said["parts"]:
                step = self._step(said)
                return Reach(
                    numbers=[*stood, target, *([step["seen"]] if step["seen"] else [])],
                    first=step["first"] or FIRST_KEY,
                    before=step["before"] or LAST_KEY,
                    cause=Cause.RESTORED,
                    target=target,
                )
            case Op.ROLLBACK:
                return Reach(cause=Cause.RESTORED)
            case KeyedOp.REMOVE:
                first, before = said["removed"], said["removed"] + FIRST_KEY
            case KeyedOp.REMOVE_PREFIX:
                first, before = said["prefix"], behind(said["prefix"])
            case _:
                cause = Cause.EXPIRED
                return Reach(
                    numbers=stood, first=FIRST_KEY, before=LAST_KEY, cause=cause
                )
        return Reach(numbers=stood, first=first, before=before, cause=Cause.REMOVED)

    def _whole(self) -> Iterator[Finding]:
        if self.stream_id:
            named = records.unfounded(self.stream_id, self.document_id, self.removed)
            for number, (kind, sentence) in named:
                yield self._finding(number, kind, sentence)
        if self.before is None:
            yield self._finding(None, Kind.NUMBER, "there is no version 0")
            return
        for row in self._rows(_ORDINALS, limit=NAMED):
            sentence = f"its entry is number {row.place} of its key, but not counted so"
            yield self._finding(row.number, Kind.DERIVED, sentence)
        for row in self._rows(_HEADS, limit=NAMED):
            sentence = "the head of a key does not follow from its entries"
            yield self._finding(row.number, Kind.DERIVED, sentence)
        for row in self._rows(_TALLY):
            counted = (row.head_number, row.keys, row.bytes, row.config_ordinal)
            found = (row.number, row.keys_found, row.bytes_found, row.config_found)
            if counted != found:
                sentence = f"it is counted as {counted}, but is {found}"
                yield self._finding(None, Kind.DERIVED, sentence)

    def _rows(self, statement: str, **asked: Any) -> list[Any]:
        return sql.rows(statement, {"session": self.document_id, **asked})

    def _finding(self, number: int | None, kind: Kind, sentence: str) -> Finding:
        return Finding(
            session_id=self.document_id, number=number, kind=kind, sentence=sentence
        )
