"""One pass over a session's versions, then turns, with one chunk in memory.

An append in the meantime does no harm: a version and all that belongs to it become
visible at once, and what lists show is read in one statement with the head.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import chain

from django.db import DataError

from apps.accounts.models import Project
from apps.core.admission import gate
from apps.core.admission.work import ROW
from apps.core.errors import Busy, DomainError
from apps.core.json import State
from apps.timeline import words
from apps.timeline.bodies import CorruptBody
from apps.timeline.errors import SessionNotFound, VersionNotFound
from apps.timeline.hooks import derived_problems
from apps.timeline.verification import checks, derived, effects, openness, rows
from apps.timeline.verification.contents import Bodies
from apps.timeline.verification.derived import Shown
from apps.timeline.verification.findings import Finding, Kind
from apps.timeline.verification.limits import Limits
from apps.timeline.verification.openness import Openness
from apps.timeline.verification.removals import NONE, hollow_body, of_session
from apps.timeline.verification.rows import ChangeRow, Listed, StoredBody, StoredVersion
from apps.timeline.verification.turns.walk import TurnWalk
from apps.timeline.versions.lineage import live_ranges
from apps.timeline.versions.proof import NO_CHAIN

FIRST_CHUNK = 25
CHUNK = 200
# What a version takes beside its body and the rows of its changes: 0.5 ms.
VERSION = 500


class VersionWalk:
    """One pass over a session; `told` hears after every chunk how far it is."""

    def __init__(
        self, session_id: str, limits: Limits, told: Callable[[int], None]
    ) -> None:
        self.session_id = session_id
        self.limits = limits
        self.told = told
        self.versions = 0
        self.bodies = 0
        self.has_more = False
        self.before: StoredVersion | None = None
        self.chain_start = self.chain_end = NO_CHAIN
        self.budget = limits.budget()
        self.contents = Bodies(session_id, self.budget)
        self.turns = TurnWalk(session_id, self.budget)
        self.removed = NONE
        self._next = 0
        # The state that `before` shows; None where its body is broken.
        self.shown: Shown | None = None
        self.openness = Openness()

    @cached_property
    def session(self) -> rows.Beginning:
        found = rows.beginning(self.session_id)
        if found is None:
            raise SessionNotFound("There is no such session.")
        return found

    @cached_property
    def project(self) -> Project | None:
        # Without a project the leaves do not hold either, and say so.
        return Project.objects.filter(id=self.session.project_id).first()

    def findings(self) -> Iterator[Finding]:
        try:
            self._begin()
        except (DataError, UnicodeDecodeError):
            yield self._unreadable(None)
            return
        yield from self._recorded()
        count, largest = min(FIRST_CHUNK, CHUNK), CHUNK
        while self._goes_on():
            try:
                chunk = self._chunk(count)
            except (DataError, UnicodeDecodeError):
                # Among many, one version cannot be read: find out which.
                if count == 1:
                    yield self._unreadable(self._next)
                    return
                count = largest = 1
                continue
            if not chunk:
                break
            yield from self._verified(chunk)
            self.told(self.versions)
            count = min(count * 2, largest)
        yield from self._end()
        if not self.has_more:
            yield from self.turns.findings(
                lambda: self.told(self.versions), is_alone=not self.versions
            )

    def _begin(self) -> None:
        session = self.session
        self.removed = of_session(session)
        self.turns.removed = self.removed
        self.contents.is_exact = not session.erasures
        if self.limits.after_turn:
            self.turns.begin_after(self.limits.after_turn)
        self.chain_start = session.origin_chain or NO_CHAIN
        self.openness.decide_by(session.waiting_rules, session.remap_after)
        if self.limits.after is None:
            self.shown = self._origin_shown() if session.is_fork else Shown({}, 0)
        else:
            self.before = self._version_at(self.limits.after)
            self._next = self.limits.after + 1
            self.chain_start = self.before.chain
            gate.enter(self.before.size)
            try:
                self.shown = self._shown(self.before, None)
            except Busy:
                raise
            except (CorruptBody, DomainError):
                pass  # the pass before told
            self.openness.begin_after(self.before, self._state)
        self.chain_end = self.chain_start

    def _recorded(self) -> Iterator[Finding]:
        """Hold tombstones against the events of their removals, once a session."""
        if self.limits.after is None and self.limits.after_turn is None:
            for number, (kind, sentence) in self.removed.problems():
                yield self._finding(number, kind, sentence)

    def _version_at(self, number: int) -> StoredVersion:
        found = rows.versions(self.session_id, after=number - 1, limit=1)
        if not found or found[0].number != number:
            raise VersionNotFound(
                f"This session has no version {number}.", param="after"
            )
        return found[0]

    def _origin_shown(self) -> Shown | None:
        session = self.session
        if session.origin_session_id is None or session.origin_body_number is None:
            return None
        try:
            origin = Bodies(session.origin_session_id, self.budget)
            raw = origin.raw(session.origin_body_number)
        except CorruptBody:
            return None  # the origin's own verification tells
        return origin.shown_in(raw)

    def _goes_on(self) -> bool:
        most = self.limits.versions
        if most is not None and self.versions >= most:
            return False
        return not self.versions or not self.budget.is_spent

    def _chunk(self, count: int) -> list[StoredVersion]:
        if self.limits.versions is not None:
            count = min(count, self.limits.versions - self.versions)
        after = self._next - 1
        return rows.versions(self.session_id, after=after, limit=count)

    def _verified(self, chunk: list[StoredVersion]) -> Iterator[Finding]:
        marks = rows.marks(self.session_id, chunk[0].number, chunk[-1].number)
        for version, body in rows.with_bodies(chunk):
            changes = marks.get(version.number, [])
            self.budget.spend(VERSION + ROW * len(changes))
            yield from self._crossed()
            yield from self._proven(version)
            yield from self._read(version, body, changes)
            self.before, self.chain_end = version, version.chain
            self._next = version.number + 1
            self.versions += 1
            if not self._goes_on():
                return

    def _crossed(self) -> Iterator[Finding]:
        """Go on from the tombstones that stand where the next version would."""
        while stone := self.removed.at(self._next):
            for kind, sentence in self.removed.crossed(stone, self.chain_end):
                yield self._finding(stone.first_number, kind, sentence)
            self.chain_end = bytes(stone.chain_after)
            self._next = stone.last_number + 1
            self.before = self.shown = None
            self.openness.cross()

    def _proven(self, version: StoredVersion) -> Iterator[Finding]:
        if self.before is None and version.number == 0:
            for kind, sentence in checks.beginnings(self.session, version):
                yield self._finding(version.number, kind, sentence)
        for kind, sentence in checks.problems(
            version, self.before, self.chain_end, self.removed
        ):
            yield self._finding(version.number, kind, sentence)

    def _read(
        self, version: StoredVersion, body: StoredBody | None, marks: list[ChangeRow]
    ) -> Iterator[Finding]:
        before = self.shown
        # Not within: who has to wait is told so, and nothing is wrong with the body.
        gate.enter(max(version.size, body.size if body else 0))
        if is_emptied := self.removed.emptied_body(version):
            self.shown = None
            for kind, sentence in hollow_body(body) if body else ():
                yield self._finding(version.number, kind, sentence)
        try:
            self.shown = None if is_emptied else self._shown(version, body)
        except Busy:
            raise  # its store or its key is away: nothing is known of the body
        except (CorruptBody, DomainError) as error:
            self.shown = None
            yield self._finding(version.number, Kind.BODY, f"its body: {error}")
        self.openness.see(version, self._state)
        if before is None or self.shown is None or self.project is None:
            return
        # What it shows may be kept with another version; its own changes went.
        if self.removed.emptied(version):
            return
        is_thin = version.number < (self.session.thinned_below or 0)
        for sentence in derived.of_version(
            version, before, self.shown, None if is_thin else marks, self.project
        ):
            yield self._finding(version.number, Kind.DERIVED, sentence)

    def _shown(self, version: StoredVersion, body: StoredBody | None) -> Shown | None:
        """Return what the version shows; check the body that was stored with it."""
        if body is not None:
            self.bodies += 1
            raw = self.contents.checked(body, version.commitment)
            if body.number == version.body_number:
                return self.contents.shown_in(raw)
        is_same = self.before and self.before.body_number == version.body_number
        if is_same and self.shown is not None:
            return self.shown
        return self.contents.shown_in(self.contents.raw(version.body_number))

    @property
    def _state(self) -> State | None:
        return self.shown.state if self.shown else None

    def _unreadable(self, number: int | None) -> Finding:
        return self._finding(
            number, Kind.UNREADABLE, "it holds a value that its column cannot have"
        )

    def _end(self) -> Iterator[Finding]:
        # What lists show is counted from all versions: once, at the head.
        if not self._goes_on() and self._is_followed:
            self.has_more = True
            return
        if self.before and not self.versions and self.limits.after_turn is not None:
            return  # the pass before has said it
        listed = rows.listed(self.session_id)
        if listed is None or self.before is None:
            yield self._finding(None, Kind.NUMBER, "there is no version 0")
            return
        is_at_head = listed.number == self.before.number
        if not is_at_head and not self._goes_on():
            self.has_more = True
            return
        if listed.stray_body is not None:
            yield self._finding(
                listed.stray_body, Kind.NUMBER, "its body is there, the version is not"
            )
        head = self.shown if is_at_head else None
        beside = (effects.problems(self.session_id), derived_problems(self.session_id))
        wrong = chain(
            derived.of_session(listed, head, is_sealed=self._is_sealed()), *beside
        )
        if is_at_head:
            wrong = chain(wrong, self._open(listed))
        for sentence in wrong:
            yield self._finding(None, Kind.DERIVED, sentence)

    @property
    def _is_followed(self) -> bool:
        last = self.before
        return last is not None and rows.is_followed(self.session_id, last.number)

    def _is_sealed(self) -> bool:
        return self.project is not None and self.project.data_key is not None

    def _open(self, listed: Listed) -> Iterator[str]:
        if rows.kind(self.session_id) == words.Kind.SHARED:
            # No list has it.
            return iter(())
        live = live_ranges(self.session_id, listed.number)
        return openness.problems(listed, live, self.openness)

    def _finding(self, number: int | None, kind: Kind, sentence: str) -> Finding:
        return Finding(
            session_id=self.session_id, number=number, kind=kind, sentence=sentence
        )
