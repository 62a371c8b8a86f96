"""How an approval stands: by its rows, the clock and its session; nothing is edited.

What a rollback sets aside is void for as long as it is: an undo that brings the wait
back brings the question back. What nobody decided in time reads as expired before the
sweep has said so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.approvals.models import Approval, Vote
from apps.approvals.words import Status
from apps.timeline.models import Session
from apps.timeline.versions import (
    VersionRow,
    live_ranges,
    live_ranges_each,
    set_aside_by,
)
from apps.timeline.words import Hold

OVER = (Hold.CLOSED, Hold.DELETED)
LOOKED_AT = ("id", "head_number", "status", "expires_at", "expired_at")


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """What came of an approval so far; `ended` is the row that has its outcome."""

    status: Status
    votes: Sequence[Vote]
    is_escalated: bool

    @property
    def is_pending(self) -> bool:
        return self.status == Status.PENDING

    @property
    def ended(self) -> Vote | None:
        return ended_by(self.votes)


def ended_by(votes: Sequence[Vote]) -> Vote | None:
    """Return the row with the outcome, if there is one.

    What was approved may be voided after that, so the last one counts.
    """
    ended = [one for one in votes if one.outcome is not None]
    return ended[-1] if ended else None


def standing(
    approval: Approval,
    votes: Sequence[Vote],
    *,
    head: VersionRow | None,
    now: datetime,
) -> Standing:
    """Say how an approval stands; without a head its session is over."""
    live: Sequence[range] = ()
    if head is not None:
        live = live_ranges(approval.session_id, head.number, down_to=approval.number)
    is_over = head is None or head.hold in OVER
    return _standing(approval, votes, live=live, is_over=is_over, now=now)


def pending_among(approvals: Sequence[Approval], *, now: datetime) -> list[Approval]:
    """Return which of these, that have no outcome, wait for a person."""
    nothing: dict[str, list[Vote]] = {one.id: [] for one in approvals}
    found = _standings(approvals, nothing, now=now)
    return [one for one in approvals if found[one.id].is_pending]


def standings(approvals: Sequence[Approval], *, now: datetime) -> dict[str, Standing]:
    """Return how each of several stands, by id, in a few statements for all."""
    return _standings(approvals, Vote.objects.of_each(approvals), now=now)


def standings_at(
    approvals: Sequence[Approval], *, head: VersionRow, now: datetime
) -> dict[str, Standing]:
    """Return how approvals of one session stood at one of its versions, by id.

    With what was said by then, and has been before `now`.
    """
    live, votes = live_ranges(head.session_id, head.number), Vote.objects
    return {
        id: _standing(
            one,
            [
                vote
                for vote in said
                if (vote.number or 0) <= head.number and vote.created_at <= now
            ],
            live=live,
            is_over=head.hold in OVER,
            now=now,
        )
        for (id, said), one in zip(
            votes.of_each(approvals).items(), approvals, strict=True
        )
    }


def waits(
    approval: Approval, *, live: Sequence[range], is_over: bool, now: datetime
) -> bool:
    """Say whether one without an outcome waits, by what was read of its session."""
    return _standing(approval, (), live=live, is_over=is_over, now=now).is_pending


def has_ended(
    status: str,
    *,
    expires_at: datetime | None,
    expired_at: datetime | None,
    now: datetime,
) -> bool:
    """Say whether nobody waits in a session any more, by its columns."""
    is_late = expires_at is not None and expires_at <= now
    return status in OVER or is_late or expired_at is not None


def _standings(
    approvals: Sequence[Approval], votes: Mapping[str, Sequence[Vote]], *, now: datetime
) -> dict[str, Standing]:
    sessions = _sessions_of(approvals)
    heads = [(id, one.head_number) for id, one in sessions.items()]
    live = {id: ranges for (id, _), ranges in live_ranges_each(heads).items()}
    return {
        one.id: _standing(
            one,
            votes[one.id],
            live=live.get(one.session_id, ()),
            is_over=_is_over(sessions.get(one.session_id), now),
            now=now,
        )
        for one in approvals
    }


def _standing(
    approval: Approval,
    votes: Sequence[Vote],
    *,
    live: Sequence[range],
    is_over: bool,
    now: datetime,
) -> Standing:
    ended = ended_by(votes)
    if ended is not None:
        # What was rejected stays so; what was approved holds with its decision alone.
        is_void = ended.outcome == Status.APPROVED and _is_set_aside(
            live, approval.number, ended.number
        )
        status = Status.VOIDED if is_void else Status(str(ended.outcome))
    elif is_over or _is_set_aside(live, approval.number):
        status = Status.VOIDED
    else:
        status = Status.EXPIRED if now >= approval.ends_at else Status.PENDING
    is_escalated = status == Status.PENDING and approval.is_escalated(now)
    return Standing(status=status, votes=votes, is_escalated=is_escalated)


def _is_set_aside(live: Sequence[range], *numbers: int | None) -> bool:
    """Say whether one of these is not live; of a session that is over none is asked."""
    return bool(live) and any(
        one is not None and set_aside_by(live, one) is not None for one in numbers
    )


def _sessions_of(approvals: Sequence[Approval]) -> dict[str, Session]:
    ids = {one.session_id for one in approvals}
    found = Session.objects.filter(id__in=ids).only(*LOOKED_AT)
    return {one.id: one for one in found[: len(ids)]} if ids else {}


def _is_over(session: Session | None, now: datetime) -> bool:
    return session is None or has_ended(
        session.status,
        expires_at=session.expires_at,
        expired_at=session.expired_at,
        now=now,
    )
