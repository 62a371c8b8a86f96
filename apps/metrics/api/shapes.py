"""Answers about metrics, shaped in one place."""

from __future__ import annotations

from typing import Any

from apps.core.time.moments import utc_text
from apps.metrics import spending
from apps.metrics.figures import CRITICAL, MINIMUM_SAMPLE, WARNING, WATCH, Figures
from apps.metrics.ranges import Range


def rate(found: Figures) -> dict[str, Any]:
    return {
        "sessions": found.sessions,
        "rolled_back": found.rolled_back,
        "rollback_rate": found.rate,
        "rollbacks": found.rollbacks,
        "rollbacks_per_session": found.per_session,
        "band": found.band,
    }


def figures(found: Figures) -> dict[str, Any]:
    return rate(found) | {
        "undone": found.undos,
        "repeated": found.repeats,
        "versions_set_aside": found.aside,
        "mean_depth": found.mean_depth,
        "mean_seconds_to_rollback": found.mean_seconds,
        "began": found.began,
        "forks": found.forks,
        "versions": found.versions,
        "turns": found.turns,
        "versions_per_session": found.versions_per_session,
        "turns_per_session": found.turns_per_session,
        "tool_calls": found.tool_calls,
        "tool_errors": found.tool_errors,
        "tool_error_rate": found.tool_error_rate,
        "timed_turns": found.timed,
        "mean_latency_ms": found.mean_latency_ms,
        "max_latency_ms": found.longest_latency_ms,
        "completed": found.closed,
        "completion_rate": found.completion_rate,
        "escalated": found.escalated,
        "escalation_rate": found.escalation_rate,
        "flagged": found.flagged,
        "flagged_rate": found.flagged_rate,
        "uncounted_hours": found.uncounted,
    }


def used(found: spending.Used) -> dict[str, Any]:
    return {
        "turns": found.turns,
        "input_tokens": found.input_tokens,
        "output_tokens": found.output_tokens,
        "cached_tokens": found.cached_tokens,
        "costed_turns": found.costed,
        "filled_in_turns": found.filled_in,
        "costs": [
            {"currency": currency, "cost": f"{cost.normalize():f}"}
            for currency, cost in sorted(found.costs.items())
        ],
    }


def ranged(found: Range, now: Any) -> dict[str, Any]:
    return {
        "window": found.name,
        "from": utc_text(found.start),
        "to": utc_text(found.end),
        "as_of": utc_text(now),
        "minimum_sample": MINIMUM_SAMPLE,
        "thresholds": {"watch": WATCH, "warning": WARNING, "critical": CRITICAL},
    }
