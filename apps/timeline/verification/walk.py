"""Verify a session: its versions first, then its turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from apps.timeline import words
from apps.timeline.verification import rows
from apps.timeline.verification.documents.walk import DocumentWalk
from apps.timeline.verification.findings import Finding, Kind, Report
from apps.timeline.verification.limits import Limits
from apps.timeline.verification.versions import VersionWalk

# Removals come each hour: what more of them disturb than this is damaged, most likely.
PASSES = 5


def verify_session(
    session_id: str,
    limits: Limits | None = None,
    told: Callable[[int], None] = lambda versions: None,
) -> Report:
    """Verify a session, or the part of it within the limits; change nothing.

    `told` hears after every chunk how many versions have been looked at. Where a
    removal came in the middle, and something seems not to hold, all is read anew.

    Raises: SessionNotFound, VersionNotFound and TurnNotFound (for `after…`).
    """
    walk, found = _undisturbed(session_id, limits or Limits(), told)
    return Report(
        session_id=session_id,
        versions=walk.versions,
        bodies=walk.bodies,
        last_number=walk.before.number if walk.before else None,
        has_more=walk.has_more or walk.turns.has_more,
        chain_start=walk.chain_start,
        chain_end=walk.chain_end,
        turns=walk.turns.report(),
        broken=found.count[False],
        first_broken=found.first.get(False),
        derived=found.count[True],
        first_derived=found.first.get(True),
    )


@dataclass(slots=True)
class _Found:
    """What does not hold: how much, and the first of it; derived data apart."""

    count: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    first: dict[bool, Finding] = field(default_factory=dict)

    def add(self, finding: Finding) -> None:
        is_derived = finding.kind is Kind.DERIVED
        self.count[is_derived] += 1
        self.first.setdefault(is_derived, finding)


def _undisturbed(
    session_id: str, limits: Limits, told: Callable[[int], None]
) -> tuple[VersionWalk | DocumentWalk, _Found]:
    """Go over a history until nothing is named that a removal took meanwhile.

    What was read before a removal and what was read after it do not fit together,
    though both hold. Of one that removals never leave alone the last pass is told.
    """
    for _ in range(PASSES):
        before = rows.removed(session_id)
        walk, found = _walk(session_id, limits, told), _Found()
        for finding in walk.findings():
            found.add(finding)
        if not found.first or rows.removed(session_id) == before:
            break
    return walk, found


def findings(session_id: str) -> Iterator[Finding]:
    """Yield everything that does not hold in a session, versions before turns.

    Raises: SessionNotFound.
    """
    return _walk(session_id, Limits(), lambda versions: None).findings()


def _walk(
    session_id: str, limits: Limits, told: Callable[[int], None]
) -> VersionWalk | DocumentWalk:
    """Return the pass over a session, or over a document, which is verified whole."""
    if rows.kind(session_id) == words.Kind.KEYED:
        return DocumentWalk(session_id, told)
    return VersionWalk(session_id, limits, told)
