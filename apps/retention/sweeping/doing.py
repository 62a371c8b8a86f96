"""One step of one session, done by the ledger, and what it counted."""

from __future__ import annotations

from enum import Enum, auto

from apps.retention.counts import Counts
from apps.retention.sweeping.planning import Work
from apps.retention.words import Step
from apps.timeline.operations import (
    Gone,
    Went,
    empty_versions,
    prune_versions,
    remove_session,
    thin_session,
)

REASON = "policy"


class Then(Enum):
    """What comes after a step."""

    AGAIN = auto()  # the same step has more to take
    ON = auto()  # the session's next step
    OVER = auto()  # the next session


def do(work: Work, session_id: str, removal_id: str, counts: Counts) -> Then:
    """Take what a step takes, count it, and say what comes next."""
    gone = _take(work, session_id, removal_id)
    for why in gone.pinned.values():
        counts.stays(why)
    if gone.outcome is Went.HELD:
        counts.held += 1
        return Then.OVER
    if gone.outcome is Went.UNKNOWN:
        return Then.OVER
    if gone.outcome is not Went.DONE:
        if gone.outcome is Went.MOVED:
            counts.stays("moved")
        return Then.ON
    numbers = {
        "versions": gone.versions,
        "turns": gone.turns,
        "rows": gone.rows,
        "bytes": gone.bytes,
    }
    if any(numbers.values()):
        # Of a session that takes several calls each counts once.
        counts.add(work.step, sessions=int(not gone.has_more), **numbers)
    is_again = gone.has_more and work.step in (Step.THIN, Step.REMOVE)
    return Then.AGAIN if is_again else Then.ON


def _take(work: Work, session_id: str, removal_id: str) -> Gone:
    if work.step is Step.THIN:
        return thin_session(session_id=session_id, below=work.last + 1)
    if work.step is Step.REMOVE:
        return remove_session(
            session_id=session_id, removal_id=removal_id, reason=REASON
        )
    take = empty_versions if work.step is Step.EMPTY else prune_versions
    return take(
        session_id=session_id,
        first=work.first,
        last=work.last,
        removal_id=removal_id,
        reason=REASON,
    )
