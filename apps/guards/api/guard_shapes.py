"""What is told of guards, verdicts and trials outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from apps.core import json
from apps.core.time.moments import utc_text
from apps.guards.detecting import line_of, words_of
from apps.guards.listing import Said
from apps.guards.models import Guard, Refusal, Trial
from apps.guards.words import Kind

Trials = Mapping[tuple[str, int], Trial]


def trials_of(guards: Sequence[Guard]) -> dict[tuple[str, int], Trial]:
    """Return the newest trial of each guard's revisions."""
    found = Trial.objects.filter(guard_id__in=[one.id for one in guards])
    newest = found.order_by("guard_id", "revision", "-id")
    rows = newest.distinct("guard_id", "revision").defer("examples", "days")
    return {(one.guard_id, one.revision): one for one in rows}


def guard_object(
    guard: Guard,
    trials: Trials | None = None,
    refused: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """Return a guard, with the newest trial of the revision that counts.

    `refused` is how many writes guards have refused lately; none if it is not given.
    """
    trial = (trials or {}).get((guard.id, guard.revision))
    kept = json.parse_written(bytes(guard.rule))
    return {
        "object": "guard",
        "id": guard.id,
        "agent_id": guard.agent.external_id,
        "name": guard.name,
        "kind": guard.kind,
        "mode": guard.mode,
        "revision": guard.revision,
        "rule": kept,
        "line": line_of(Kind(guard.kind), kept),
        "words": words_of(Kind(guard.kind), kept),
        "trial_id": None if trial is None else trial.id,
        "trial_status": None if trial is None else trial.status,
        "refused_last_7_days": (refused or {}).get(guard.id, 0),
        "created_by": guard.actor_label,
        "created_at": utc_text(guard.created_at),
        "withdrawn_at": utc_text(guard.withdrawn_at),
    }


def verdict_id(verdict: Said) -> str:
    """Return the id of one among those of a session."""
    found = f"{verdict.number}.{verdict.turn_number}.{verdict.guard_id}"
    return f"{found}.{verdict.id}" if isinstance(verdict, Refusal) else found


def verdict_object(verdict: Said) -> dict[str, Any]:
    """Return what a guard said of one write, also of one that it refused."""
    return {
        "object": "verdict",
        "id": verdict_id(verdict),
        "session_id": verdict.session_id,
        "version": verdict.number,
        "turn_number": verdict.turn_number or None,
        "guard_id": verdict.guard_id,
        "name": verdict.guard.name,
        "kind": verdict.guard.kind,
        "revision": verdict.revision,
        "outcome": "undecided" if verdict.is_undecided else "failed",
        "did": verdict.did,
        "created_at": utc_text(verdict.created_at),
    }


def trial_object(trial: Trial) -> dict[str, Any]:
    """Return how far a trial is, and what it has found."""
    days = sorted(trial.days.items())
    return {
        "object": "guard_trial",
        "id": trial.id,
        "guard_id": trial.guard_id,
        "revision": trial.revision,
        "status": trial.status,
        "since": utc_text(trial.since),
        "until": utc_text(trial.until),
        "sessions": trial.sessions,
        "sessions_failed": trial.sessions_failed,
        "looked_at": trial.versions,
        "failed": sum(counts[1] for _, counts in days),
        "undecided": sum(counts[2] for _, counts in days),
        "unreadable": trial.unreadable,
        "days": [
            {
                "date": day,
                "looked_at": counts[0],
                "failed": counts[1],
                "undecided": counts[2],
            }
            for day, counts in days
        ],
        "examples": trial.examples,
        "created_by": trial.actor_label,
        "created_at": utc_text(trial.created_at),
        "finished_at": utc_text(trial.finished_at),
    }
