"""The tables and charts of the page as rows of a file: every row, no number rounded.

Moments are ISO 8601 with their offset. What a page cuts to fit is whole here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import tzinfo
from typing import Any

from apps.console.pages.metrics import heat_map, tables
from apps.console.pages.metrics.metrics_page import (
    SLOW,
    Asked,
    agent_rows,
    bars_of,
    chart_of,
    names_of,
)
from apps.metrics.figures import Figures
from apps.metrics.ranking import FINE, latency_within
from apps.metrics.rollback_list import Rollback

Rows = Iterable[Sequence[Any]]
Table = tuple[Sequence[str], Rows]
RATE = ("rollback_rate", "rolled_back", "sessions", "rollbacks")
BEFORE = tuple(f"{name}_before" for name in RATE)
NUMBERS: Mapping[str, Callable[[Figures], Any]] = {
    "sessions": lambda one: one.sessions,
    "sessions_rolled_back": lambda one: one.rolled_back,
    "rollback_rate": lambda one: one.rate,
    "rollbacks": lambda one: one.rollbacks,
    "rollbacks_taken_back": lambda one: one.undos,
    "rollbacks_per_session": lambda one: one.per_session,
    "mean_seconds_to_rollback": lambda one: one.mean_seconds,
    "mean_depth": lambda one: one.mean_depth,
    "repeated": lambda one: one.repeats,
    "forks": lambda one: one.forks,
    "new_sessions": lambda one: one.began,
    "versions": lambda one: one.versions,
    "turns": lambda one: one.turns,
    "tool_calls": lambda one: one.tool_calls,
    "tool_errors": lambda one: one.tool_errors,
    "tool_error_rate": lambda one: one.tool_error_rate,
    "completed": lambda one: None if one.uncounted else one.closed,
    "completion_rate": lambda one: one.completion_rate,
    "escalated": lambda one: None if one.uncounted else one.escalated,
    "escalation_rate": lambda one: one.escalation_rate,
    "flagged": lambda one: None if one.uncounted else one.flagged,
    "flagged_rate": lambda one: one.flagged_rate,
    "mean_latency_ms": lambda one: one.mean_latency_ms,
    "longest_latency_ms": lambda one: one.longest_latency_ms,
    "timed_turns": lambda one: one.timed,
    "uncounted_hours": lambda one: one.uncounted,
}
ROLLBACKS = (
    *("time", "session_id", "version", "restored_version", "agent", "user_id"),
    *("release", "set_aside", "seconds_after", "reason_code", "reasoning", "actor"),
)


def table(asked: Asked, name: str) -> Table:
    """Return the columns and rows of one of `TABLES`."""
    return TABLES[name](asked)


def rollback_row(one: Rollback) -> Sequence[Any]:
    """Return a rollback in the columns of `ROLLBACKS`."""
    return (
        *(one.created_at.isoformat(), one.session_id, one.number, one.restored_number),
        *(one.agent, one.user_id, one.release, one.depth, one.waited),
        *(one.reason_code, one.reasoning, one.actor_label),
    )


def _numbers(asked: Asked) -> Table:
    now, before = asked.reading.totals(), _totals_before(asked)
    rows: list[Sequence[Any]] = [
        (name, value(now), value(before) if before else None)
        for name, value in NUMBERS.items()
    ]
    slow = [
        latency_within(one.groups(FINE), SLOW)
        if one and not one.totals().uncounted
        else None
        for one in (asked.reading, asked.shown_before)
    ]
    return ("number", "value", "before"), [*rows, ("p95_latency_ms", *slow)]


def _totals_before(asked: Asked) -> Figures | None:
    return asked.shown_before.totals() if asked.shown_before else None


def _over_time(asked: Asked) -> Table:
    spots = chart_of(asked.reading, asked.shown_before, asked.zone).spots
    return ("from", "to", *RATE), [
        (_at(spot.start, asked.zone), _at(spot.end, asked.zone), *_rate(spot.figures))
        for spot in spots
    ]


def _agents(asked: Asked) -> Table:
    before = asked.shown_before.by_agent() if asked.shown_before else {}
    names = names_of(asked.reading.project_id, asked.reading.by_agent())
    return ("agent", *NUMBERS, *BEFORE), [
        (
            row.name,
            *(value(row.figures) for value in NUMBERS.values()),
            *_rate(before.get(row.id)),
        )
        for row in agent_rows(asked, names)
    ]


def _values(by: str) -> Callable[[Asked], Table]:
    def values(asked: Asked) -> Table:
        before = {
            row.value: row.figures
            for row in (
                tables.value_rows(asked.shown_before, None, by)
                if asked.shown_before
                else ()
            )
        }
        return (by, *RATE, *BEFORE), [
            (row.name, *_rate(row.figures), *_rate(before.get(row.value)))
            for row in tables.value_rows(asked.reading, None, by)
        ]

    return values


def _bars(at: int) -> Callable[[Asked], Table]:
    def bars(asked: Asked) -> Table:
        *_, what, rows = bars_of(asked)[at]
        return (what, "rollbacks", "before"), [
            (bar.name, bar.count, bar.before) for bar in rows
        ]

    return bars


def _releases(asked: Asked) -> Table:
    names = names_of(asked.reading.project_id, asked.reading.by_agent())
    sides = ("release", "rollback_rate", "rolled_back", "sessions")
    columns = ("agent", *(f"{one}_{at}" for at in ("before", "after") for one in sides))
    return columns, [
        (step.agent, step.before, *_short(step.was), step.after, *_short(step.now))
        for step in tables.release_steps(asked.reading, names)
    ]


def _week(asked: Asked) -> Table:
    cells = heat_map.heat_map(asked.reading.week(asked.zone), asked.zone)
    columns = ("day", "hour", "rollback_rate", "rolled_back", "sessions")
    return columns, [
        (heat_map.DAYS[cell.y], cell.x, *_short(cell.figures))
        for cell in cells
        if cell.figures.sessions
    ]


def _rate(found: Figures | None) -> Sequence[Any]:
    if found is None:
        return (None,) * len(RATE)
    return found.rate, found.rolled_back, found.sessions, found.rollbacks


def _short(found: Figures) -> Sequence[Any]:
    return found.rate, found.rolled_back, found.sessions


def _at(at: Any, zone: tzinfo) -> str:
    return str(at.astimezone(zone).isoformat())


# By the name in the address: the tables and charts of the page.
TABLES: Mapping[str, Callable[[Asked], Table]] = {
    "numbers": _numbers,
    "over-time": _over_time,
    "agents": _agents,
    "depth": _bars(0),
    "time-to-rollback": _bars(1),
    **{by: _values(by) for by in tables.BY},
    "before-and-after": _releases,
    "week": _week,
}
