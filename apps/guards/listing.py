"""List what guards said: verdicts, which follow from history, among refusals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from heapq import merge
from itertools import islice
from typing import Any

from django.db.models import Q

from apps.guards.models import Refusal, Verdict

Said = Verdict | Refusal
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
# How far back a guard's refusals are counted.
LATELY = timedelta(days=7)


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """The place of one in a session's list; `refusal` is empty for a verdict."""

    number: int
    turn_number: int
    guard_id: str
    refusal: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """The place of one in a guard's list: when it was said, then what it is of."""

    micros: int
    session_id: str
    number: int
    turn_number: int
    refusal: str = ""


def moment_of(one: Said) -> Moment:
    return Moment(
        micros=(one.created_at - EPOCH) // MICROSECOND,
        session_id=one.session_id or "",
        number=one.number,
        turn_number=one.turn_number,
        refusal=_refusal(one),
    )


def of_session(session_id: str, after: Place | None, most: int) -> list[Said]:
    """Return what was said of a session's writes, the newest versions first."""
    verdicts = Verdict.objects.of_session(session_id)
    refusals = Refusal.objects.of_session(session_id)
    if after is not None:
        triple = after.number, after.turn_number, after.guard_id
        lower = Q(number__lt=after.number)
        beside = Q(number=after.number, guard_id__lt=after.guard_id)
        if after.turn_number:
            # A refusal has no turn: all of that number come later.
            beside = Q(number=after.number)
        if after.refusal:
            beside |= Q(
                number=after.number, guard_id=after.guard_id, id__lt=after.refusal
            )
            seen = verdicts.filter(
                number=after.number, turn_number=0, guard_id=after.guard_id
            )
            verdicts = verdicts.below(*triple) | seen
        else:
            verdicts = verdicts.below(*triple)
        refusals = refusals.filter(lower | beside)
    return _newest(verdicts, refusals, most, _by_place)


def of_guard(guard_id: str, after: Moment | None, most: int) -> list[Said]:
    """Return what a guard said in all sessions, the newest first."""
    verdicts = Verdict.objects.of_guard(guard_id)
    refusals = Refusal.objects.of_guard(guard_id)
    if after is not None:
        at = EPOCH + after.micros * MICROSECOND
        earlier = Q(created_at__lt=at)
        if after.refusal:
            # At one moment refusals come first.
            verdicts = verdicts.filter(created_at__lte=at)
            refusals = refusals.filter(earlier | Q(created_at=at, id__lt=after.refusal))
        else:
            mine = Q(session_id__lt=after.session_id)
            mine |= Q(session_id=after.session_id, number__lt=after.number)
            mine |= Q(
                session_id=after.session_id,
                number=after.number,
                turn_number__lt=after.turn_number,
            )
            verdicts = verdicts.filter(earlier | Q(created_at=at) & mine)
            refusals = refusals.filter(earlier)
    return _newest(verdicts, refusals, most, _by_moment)


def refused_lately(guard_ids: list[str], now: datetime) -> dict[str, int]:
    """Return how many writes each guard has refused in the last days."""
    return Refusal.objects.since(guard_ids, now - LATELY)


def _newest(verdicts: Any, refusals: Any, most: int, key: Any) -> list[Said]:
    both: Iterable[Said] = merge(
        verdicts[:most], refusals[:most], key=key, reverse=True
    )
    return list(islice(both, most))


def _by_place(one: Said) -> tuple[int, int, str, str]:
    return one.number, one.turn_number, one.guard_id, _refusal(one)


def _by_moment(one: Said) -> tuple[Any, ...]:
    is_refusal = isinstance(one, Refusal)
    last = ("", 0, 0) if is_refusal else (one.session_id, one.number, one.turn_number)
    return one.created_at, is_refusal, _refusal(one), *last


def _refusal(one: Said) -> str:
    return one.id if isinstance(one, Refusal) else ""
