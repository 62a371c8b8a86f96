"""The sweep of trials: some sessions at once, and what was found is added to the trial.

It is added only where nobody else has gone on meanwhile, so a sweep that was killed, or
two at once, count nothing twice. Nothing is written to any session.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import structlog

from apps.core.errors import DomainError
from apps.guards.detecting import Outcome, Rule
from apps.guards.live.judging import said_of
from apps.guards.live.standing import Standing, read
from apps.guards.models import Guard, GuardRevision, Trial
from apps.guards.trying.histories import looks_of, moments_of
from apps.guards.trying.windows import Seen, Window
from apps.guards.words import Kind, Mode, TrialStatus
from apps.timeline.models import Session
from apps.timeline.versions import CorruptBody

# How long one sweep goes on; the next takes up what is left.
SWEEP_SECONDS = 20.0
# How long sessions are looked at before what was found is added.
ADD_SECONDS = 2.0
AT_ONCE = 50
MOST_EXAMPLES = 50

log = structlog.get_logger("stepback.guards")


@dataclass
class Tally:
    """What was found in some sessions."""

    sessions: int = 0
    versions: int = 0
    unreadable: int = 0
    sessions_failed: int = 0
    # By day: looked at, failed, undecided.
    days: dict[str, list[int]] = field(default_factory=dict)
    examples: list[dict[str, Any]] = field(default_factory=list)

    def add(self, session_id: str, seen: Seen, outcome: Outcome) -> None:
        """Count one write."""
        day = self.days.setdefault(seen.at.date().isoformat(), [0, 0, 0])
        day[0] += 1
        self.versions += 1
        if outcome is Outcome.PASSED:
            return
        day[1 if outcome is Outcome.FAILED else 2] += 1
        if len(self.examples) < MOST_EXAMPLES:
            self.examples.append(
                {
                    "session_id": session_id,
                    "version": seen.number,
                    "turn_number": seen.turn_number or None,
                    "at": seen.at.isoformat(),
                    "outcome": outcome.value,
                }
            )


def sweep(*, now: datetime) -> int:
    """Go on with the trials that were asked for; return how many sessions were seen."""
    began, seen = time.monotonic(), 0
    for trial in Trial.objects.to_run().select_related("guard"):
        while count := go_on(trial, now=now):
            seen += count
            if time.monotonic() - began > SWEEP_SECONDS:
                return seen
    return seen


def go_on(trial: Trial, *, now: datetime) -> int:
    """Look at the next sessions of a trial; return at how many, 0 at its end."""
    asked = _asked(trial)
    if asked is None:
        _finish(trial, TrialStatus.FAILED, now)
        return 0
    tally, last = Tally(), trial.after_id
    until = time.monotonic() + ADD_SECONDS
    for session in _sessions(trial):
        _look(tally, session, asked, Window(trial.since, trial.until))
        last = session.id
        if time.monotonic() > until:
            break
    if not tally.sessions:
        _finish(trial, TrialStatus.DONE, now)
        return 0
    return tally.sessions if _add(trial, tally, last) else 0


def _sessions(trial: Trial) -> list[Session]:
    """Return the next sessions that were written to since the trial's first day."""
    found = Session.objects.filter(
        project_id=trial.project_id,
        agent_id=trial.guard.agent_id,
        id__gt=trial.after_id,
        created_at__lt=trial.until,
        updated_at__gte=trial.since,
    ).exclude(status="deleted")
    return list(found.order_by("id")[:AT_ONCE])


def _asked(trial: Trial) -> tuple[Standing, Rule] | None:
    """Return the revision that is tried; None where this version cannot read it."""
    guard: Guard = trial.guard
    row = GuardRevision.objects.get(guard_id=guard.id, number=trial.revision)
    rule = read(row.kind, bytes(row.rule))
    if rule is None:
        return None
    kind = Kind(row.kind)
    asked = Standing(
        id=guard.id,
        name=guard.name,
        kind=kind,
        revision=trial.revision,
        mode=Mode.OBSERVE,
        rule=rule,
    )
    return asked, rule


def _look(
    tally: Tally, session: Session, asked: tuple[Standing, Rule], window: Window
) -> None:
    guard, rule = asked
    has_failed = False
    try:
        for seen in moments_of(session, looks_of([rule]), window):
            found = None if seen.moment is None else said_of(guard, seen.moment)
            if seen.moment is None:
                tally.unreadable += 1
            elif found is not None:
                tally.add(session.id, seen, found.outcome)
                has_failed = has_failed or found.outcome is Outcome.FAILED
    except (DomainError, CorruptBody):
        # Removed meanwhile, damaged, or its key is not at hand.
        tally.unreadable += 1
    except Exception as broken:  # noqa: BLE001 - it may be any
        # What is wrong with one must not hold up the rest.
        error = type(broken).__name__
        log.warning("a trial broke", session=session.id, error=error)
        tally.unreadable += 1
    tally.sessions += 1
    tally.sessions_failed += has_failed


def _add(trial: Trial, tally: Tally, last: str) -> bool:
    """Add what was found, unless another sweep has gone on; return whether it did."""
    days = {day: list(counts) for day, counts in trial.days.items()}
    for day, counts in tally.days.items():
        was = days.get(day, [0, 0, 0])
        days[day] = [a + b for a, b in zip(was, counts, strict=True)]
    room = MOST_EXAMPLES - len(trial.examples)
    fields = {
        "status": TrialStatus.RUNNING,
        "after_id": last,
        "sessions": trial.sessions + tally.sessions,
        "versions": trial.versions + tally.versions,
        "unreadable": trial.unreadable + tally.unreadable,
        "sessions_failed": trial.sessions_failed + tally.sessions_failed,
        "days": days,
        "examples": trial.examples + tally.examples[:room],
    }
    mine = Trial.objects.to_run().filter(id=trial.id, after_id=trial.after_id)
    if not mine.update(**fields):
        return False
    for name, value in fields.items():
        setattr(trial, name, value)
    return True


def _finish(trial: Trial, status: TrialStatus, now: datetime) -> None:
    mine = Trial.objects.to_run().filter(id=trial.id, after_id=trial.after_id)
    mine.update(status=status, finished_at=now)
