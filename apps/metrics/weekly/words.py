"""A weekly summary in words, and as what webhooks are told."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from apps.accounts.models import Project
from apps.core.outbound.links import path_to
from apps.diffs.text import shorten
from apps.metrics.comparison import Direction
from apps.metrics.figures import MINIMUM_SAMPLE, Figures
from apps.metrics.weekly.summary import LISTED, Summary, Whose

LONGEST_NAME = 60
# Weeks begin and end in UTC.
MOMENT = "%Y-%m-%dT%H:%M:%SZ"
MOVED = {
    Direction.RISEN: "It has risen",
    Direction.FALLEN: "It has fallen",
    Direction.STEADY: "No more apart than by chance",
    Direction.FEW: f"Under {MINIMUM_SAMPLE} sessions say little",
    Direction.UNCOMPARED: "The week before had too few to compare",
}


def details(summary: Summary, project: Project) -> dict[str, Any]:
    """Return what is told of a week: in numbers, and in lines that people read."""
    trend, week = summary.trend, summary.week
    asked = {"from": f"{week.start:{MOMENT}}", "to": f"{week.end:{MOMENT}}"}
    return {
        **asked,
        **_numbers(trend.now),
        "before": _numbers(trend.before),
        "direction": trend.direction.value,
        "cause": summary.cause and _named(summary.cause),
        "worst_agents": [
            _named(one) | _numbers(of) for one, of in summary.worst_agents
        ],
        "worst_releases": [
            _named(one) | _numbers(of) for one, of in summary.worst_releases
        ],
        "new_releases": [_named(one) for one in summary.new_releases[:LISTED]],
        "new_release_count": len(summary.new_releases),
        "alerts": [{"name": name, "fired": n} for name, n in summary.fired[:LISTED]],
        "alert_count": sum(n for _, n in summary.fired),
        "firing": summary.firing,
        "summary": subject(summary, project),
        "lines": lines(summary),
        "dashboard_path": path_to("metrics", project.slug, query=asked),
        "alerts_path": path_to("alerts", project.slug),
    }


def subject(summary: Summary, project: Project) -> str:
    """Say in one line which week it is, and how it went."""
    last = summary.week.end - timedelta(days=1)
    days = f"{summary.week.start:%-d %B} to {last:%-d %B %Y}"
    of = f"{shorten(project.name, LONGEST_NAME)}, {days}"
    now, before = summary.trend.now, summary.trend.before
    if not now.sessions:
        return f"{of}: no session was active"
    said = f"{of}: rollback rate {_percent(now)}"
    return f"{said}, {_percent(before)} the week before" if before.sessions else said


def lines(summary: Summary) -> list[str]:
    """Say what the week was like, a line for each thing."""
    return [
        _rate(summary),
        _worst("Worst agents", "agent", summary.worst_agents),
        _worst("Worst releases", "release", summary.worst_releases),
        _releases(summary.new_releases),
        _alerts(summary),
    ]


def _rate(summary: Summary) -> str:
    trend = summary.trend
    before = (
        f"the week before {_of(trend.before)}"
        if trend.before.sessions
        else "no session was active the week before"
    )
    if not trend.now.sessions:
        return f"No session was active; {before}."
    said = f"Rollback rate: {_of(trend.now)}; {before}."
    moved = MOVED[trend.direction]
    if summary.cause is not None:
        moved += f", most of it at {_name(summary.cause)}"
    return f"{said} {moved}."


def _worst(title: str, noun: str, found: Sequence[tuple[Whose, Figures]]) -> str:
    if not found:
        return f"{title}: no {noun} with {MINIMUM_SAMPLE} sessions was rolled back."
    return f"{title}: {'; '.join(f'{_name(one)} {_of(of)}' for one, of in found)}."


def _releases(found: Sequence[Whose]) -> str:
    if not found:
        return "New releases: none."
    return f"New releases: {_listed([_name(one) for one in found])}."


def _alerts(summary: Summary) -> str:
    still = f" {summary.firing:,} fire{'s' if summary.firing == 1 else ''} now."
    if not summary.fired:
        return f"Alerts: none fired.{still if summary.firing else ''}"
    names = [
        f"{shorten(name, LONGEST_NAME)}{f' ({n:,} times)' if n > 1 else ''}"
        for name, n in summary.fired
    ]
    return f"Alerts that fired: {_listed(names)}.{still}"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - LISTED
    shown = "; ".join(names[:LISTED])
    return f"{shown}; and {more:,} more" if more > 0 else shown


def _name(whose: Whose) -> str:
    agent, release = whose
    return shorten(f"{agent} {release}" if release else agent, LONGEST_NAME)


def _of(found: Figures) -> str:
    plural = "" if found.sessions == 1 else "s"
    return f"{_percent(found)} of {found.sessions:,} session{plural}"


def _percent(found: Figures) -> str:
    return f"{(found.rate or 0) * 100:.1f} %"


def _named(whose: Whose) -> dict[str, Any]:
    agent, release = whose
    return {"agent_id": agent, "release": release}


def _numbers(found: Figures) -> dict[str, Any]:
    return {
        "rate": found.rate,
        "sessions": found.sessions,
        "rolled_back": found.rolled_back,
    }
