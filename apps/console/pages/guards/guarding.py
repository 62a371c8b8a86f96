"""Guards, their trials and their verdicts, as pages show them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.core import json
from apps.core.time.moments import moment
from apps.guards import listing
from apps.guards.detecting import words_of
from apps.guards.models import Guard, Trial, Verdict
from apps.guards.words import Did, Kind
from apps.timeline.models import Session

MODES = {
    "observe": "observes",
    "flag": "flags",
    "refuse": "refuses",
    "hold": "holds",
    "step_back": "steps back",
    "ask": "asks people",
}
DID = {
    "nothing": "observed",
    "flagged": "flagged",
    "held": "the session was held",
    "stepped_back": "stepped back",
    "asked": "people were asked",
    "refused": "refused, nothing was stored",
}
MOST_VERDICTS = 5
MOST_SAID = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class GuardRow:
    """A guard in words."""

    guard: Guard
    mode: str
    words: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Day:
    """One day of a trial; `width` in percent of the day with the most."""

    date: str
    looked_at: int
    failed: int
    undecided: int
    width: int


def of_agent(agent_id: str) -> list[GuardRow]:
    """Return the guards that an agent has."""
    return [row(one) for one in Guard.objects.of_agent(agent_id)]


def row(guard: Guard) -> GuardRow:
    """Return one guard in words."""
    return GuardRow(
        guard=guard,
        mode=MODES[guard.mode],
        words=words_of(Kind(guard.kind), json.parse_written(bytes(guard.rule))),
    )


def trial(guard: Guard) -> dict[str, Any] | None:
    """Return the newest trial of the revision that counts, by days and examples."""
    mine = Trial.objects.of_guard(guard.id).filter(revision=guard.revision)
    found = mine.first()
    if found is None:
        return None
    days = sorted(found.days.items())
    most = max((counts[1] + counts[2] for _, counts in days), default=0) or 1
    return {
        "row": found,
        "is_done": found.status == "done",
        "failed": sum(counts[1] for _, counts in days),
        "undecided": sum(counts[2] for _, counts in days),
        "days": [
            Day(
                date=day,
                looked_at=counts[0],
                failed=counts[1],
                undecided=counts[2],
                width=round((counts[1] + counts[2]) * 100 / most),
            )
            for day, counts in days
        ],
        "examples": [{**one, "at": moment(one["at"])} for one in found.examples],
    }


def said(guard: Guard, now: datetime) -> dict[str, Any]:
    """Return what a guard said lately in all sessions, and how often it refused."""
    found = listing.of_guard(guard.id, None, MOST_SAID + 1)
    return {
        "refused": listing.refused_lately([guard.id], now).get(guard.id, 0),
        "rows": [
            {
                "session_id": one.session_id,
                "number": one.number,
                "turn_number": one.turn_number,
                "is_stored": one.did != Did.REFUSED,
                "is_undecided": one.is_undecided,
                "did": DID[one.did],
                "at": one.created_at,
            }
            for one in found[:MOST_SAID]
        ],
        "has_more": len(found) > MOST_SAID,
    }


def verdicts(session: Session) -> list[dict[str, Any]]:
    """Return the newest verdicts of a session whose agent has guards."""
    if not session.agent.has_guards:
        return []
    found = Verdict.objects.of_session(session.id)[: MOST_VERDICTS + 1]
    return [
        {
            "number": one.number,
            "turn_number": one.turn_number,
            "name": one.guard.name,
            "is_undecided": one.is_undecided,
            "did": DID[one.did],
        }
        for one in found
    ]
