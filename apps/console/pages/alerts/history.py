"""What was told in seven days: a row for each rule, and a bar while it fired.

It is drawn from what was told, so a time in which a rule was silent has no bar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.accounts.models import Project
from apps.audit.actions import Action
from apps.audit.models import Event
from apps.core.ids import first_id
from apps.metrics.models import Rule

DAYS = 7
# Told in seven days, at most; of more the newest are shown.
MOST_EVENTS, MOST_ROWS = 1_000, 20
LEFT, WIDTH, HEIGHT = 200, 960, 24
LEAST_WIDTH, NAME_WIDTH = 3.0, 56
Span = tuple[datetime, datetime | None]
ACTIONS = (Action.ALERT_FIRING, Action.ALERT_RESOLVED)


@dataclass(frozen=True, kw_only=True, slots=True)
class Bar:
    """A time in which a rule fired; without an end it still does."""

    start: datetime
    end: datetime | None
    x: float
    width: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One rule: its name as it was told last, and its bars."""

    name: str
    y: int
    bars: list[Bar]


@dataclass(frozen=True, kw_only=True, slots=True)
class Day:
    """Where a day begins, and on which side of that its name has room."""

    x: float
    name: str
    has_room: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """The lines of all rules that told anything, and where days begin."""

    lines: list[Line]
    days: list[Day]
    height: int
    is_cut: bool


def history(project: Project, rules: Sequence[Rule], now: datetime) -> History:
    """Return what was told of a project's rules in the last seven days."""
    start = now - timedelta(days=DAYS)
    told, is_cut = _told(project, start)
    names = {one.resource_id: _name(one) for one in told}
    spans = _spans(told, start)
    for rule in rules:
        # It was told before these days that it fires, and nothing since.
        if rule.is_told and rule.id not in spans:
            names[rule.id], spans[rule.id] = rule.name, [(start, None)]
    newest = sorted(spans, key=lambda id: spans[id][-1][0], reverse=True)[:MOST_ROWS]
    return History(
        lines=[
            Line(
                name=names[id],
                y=at * HEIGHT,
                bars=[_bar(begins, ends, start, now) for begins, ends in spans[id]],
            )
            for at, id in enumerate(newest)
        ],
        days=_days(start, now),
        height=len(newest) * HEIGHT + 20,
        is_cut=is_cut or len(spans) > MOST_ROWS,
    )


def _told(project: Project, start: datetime) -> tuple[list[Event], bool]:
    """Return the newest that was told, oldest first, and whether there was more."""
    found = list(
        Event.objects.for_project(project.id)
        .with_action(ACTIONS)
        .filter(id__gte=first_id("trace", start))
        .order_by("-id")[: MOST_EVENTS + 1]
    )
    newest = reversed(found[:MOST_EVENTS])
    told = [one for one in newest if not one.details.get("is_test")]
    return told, len(found) > MOST_EVENTS


def _spans(told: Sequence[Event], start: datetime) -> dict[str, list[Span]]:
    """Return by rule from when to when it fired; at the earliest from `start`."""
    spans: dict[str, list[Span]] = {}
    for one in told:
        mine = spans.setdefault(one.resource_id, [])
        if one.action == Action.ALERT_FIRING:
            mine.append((one.created_at, None))
        elif not mine:
            mine.append((start, one.created_at))
        elif mine[-1][1] is None:
            mine[-1] = mine[-1][0], one.created_at
    return spans


def _name(told: Event) -> str:
    """Return the rule's name as it was told, with its agent and release if it has."""
    names = (told.details.get(name) for name in ("agent_id", "release"))
    whose = " ".join(str(name) for name in names if name)
    name = str(told.details.get("name", told.resource_id))
    return f"{whose}: {name}" if whose else name


def _bar(
    begins: datetime, ends: datetime | None, start: datetime, now: datetime
) -> Bar:
    x = _x(max(begins, start), start, now)
    # Short ones are seen as well, also those that began just now.
    width = round(max(_x(ends or now, start, now) - x, LEAST_WIDTH), 1)
    return Bar(start=begins, end=ends, x=min(x, WIDTH - width), width=width)


def _x(at: datetime, start: datetime, now: datetime) -> float:
    return round(LEFT + (WIDTH - LEFT) * ((at - start) / (now - start)), 1)


def _days(start: datetime, now: datetime) -> list[Day]:
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    days = (midnight - timedelta(days=ago) for ago in range(DAYS - 1, -1, -1))
    return [
        Day(x=x, name=f"{day:%a} {day.day}", has_room=WIDTH - x > NAME_WIDTH)
        for day in days
        if day > start
        for x in (_x(day, start, now),)
    ]
