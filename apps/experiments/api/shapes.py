"""What is told of experiments outside."""

from __future__ import annotations

from typing import Any

from apps.agents.acts import Act
from apps.core.time.moments import utc_text
from apps.experiments.columns import Column, columns_of
from apps.experiments.models import Experiment


def experiment_object(experiment: Experiment, act: Act) -> dict[str, Any]:
    """Return an experiment with its forks as they are now."""
    columns = columns_of(experiment, act)
    return listed_experiment(experiment) | {
        "variants": [variant_object(one) for one in columns]
    }


def listed_experiment(experiment: Experiment) -> dict[str, Any]:
    return {
        "object": "experiment",
        "id": experiment.id,
        "name": experiment.name,
        "status": experiment.status,
        "session_id": experiment.session_id,
        "version": experiment.number,
        "checks": experiment.checks,
        "made_by": experiment.made_by_label,
        "created_at": utc_text(experiment.created_at),
        "closed_at": utc_text(experiment.closed_at),
    }


def variant_object(column: Column) -> dict[str, Any]:
    session, spent = column.session, column.spent or {}
    is_there = session is not None
    return {
        "session_id": column.session_id,
        "agent_id": column.agent,
        "deleted": column.is_deleted,
        "title": column.title,
        "status": session.status if session else None,
        "head_version": session.head_number if session else None,
        "outcome": session.review if session else None,
        "checks": [
            {"check": one.text, "outcome": one.outcome} for one in column.checks
        ],
        "turns": session.turn_count if session else None,
        "tokens": column.tokens,
        "cost": spent.get("cost"),
        "currency": spent.get("currency"),
        "seconds": None if column.took is None else column.took.total_seconds(),
        "effects": column.effects if is_there else None,
        "irreversible": column.irreversible if is_there else None,
        "flagged": column.flagged if is_there else None,
    }
