"""Two sessions step by step since they parted, and in what they first differ.

In action, in arguments, in state. Of either side a window of steps is read, and the
answer says how far that reaches: what lies behind it is not said to be the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.agents.mapping import agents_noise
from apps.diffs.meaning.noise import Noise
from apps.timeline.models import Session
from apps.timeline.queries import Divergence
from apps.timeline.queries.divergence import Common
from apps.timeline.stepping import steps
from apps.timeline.stepping.alignment import First, Row, aligned, firsts
from apps.timeline.stepping.steps import Window


@dataclass(frozen=True, kw_only=True, slots=True)
class StepSide:
    """A session up to one of its versions; `after` a number, unless they parted."""

    session: Session
    end: int
    after: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedSteps:
    """The rows of both sides, which steps of either they are, what differs first."""

    rows: Sequence[Row]
    windows: tuple[Window, Window]
    firsts: Sequence[First]


def compare_steps(
    left: StepSide, right: StepSide, parted: Divergence, noise: Noise | None = None
) -> ComparedSteps:
    """Align the steps of two sessions, of each those since they parted."""
    noise = noise_of_both(left.session, right.session) if noise is None else noise
    shared = last_shared(parted.common, (left, right))
    windows = (
        _window(left, right, parted.common, shared, noise),
        _window(right, left, parted.common, shared, noise),
    )
    rows = aligned(windows[0].groups, windows[1].groups)
    return ComparedSteps(rows=rows, windows=windows, firsts=firsts(rows))


def noise_of_both(left: Session, right: Session) -> Noise:
    """Return what is noise for the agent of either."""
    patterns = [
        pattern for one in (left, right) for pattern in agents_noise(one.agent).patterns
    ]
    return Noise(tuple(dict.fromkeys(patterns)))


def last_shared(common: Common | None, sides: Sequence[StepSide]) -> int | None:
    """Return the last version that both sides have, as far as each is looked at."""
    if common is None:
        return None
    own = [one.end for one in sides if one.session.id == common.session_id]
    return min([common.number, *own])


def begins_after(side: StepSide, common: Common | None, shared: int | None) -> int:
    """Return after which number a side went its own way; -1: from its first."""
    is_in_it = common is not None and common.session_id == side.session.id
    return shared if is_in_it and shared is not None else -1


def _window(
    one: StepSide,
    other: StepSide,
    common: Common | None,
    shared: int | None,
    noise: Noise,
) -> Window:
    """Return the steps that a side has made by itself, or those after a number."""
    after, parted_at = one.after, None
    if after is None:
        after = begins_after(one, common, shared)
        parted_at = _parted_at(one, other.session, after)
    return steps.window(
        one.session, after=after, end=one.end, noise=noise, parted_at=parted_at
    )


def _parted_at(one: StepSide, fork: Session, number: int) -> datetime | None:
    """Return when the other side began as a fork of this one, at this version."""
    is_fork = fork.origin_session_id == one.session.id
    return fork.created_at if is_fork and fork.origin_number == number else None
