"""What the page of components shows: invented, and of no project."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

from apps.accounts.models import Membership, Project, Role
from apps.agents.models import Agent
from apps.console.pages.drawings.histogram import Stretch, histogram
from apps.console.pages.drawings.life_line import LIVE_Y, LifeLine, Link, Node
from apps.console.pages.drawings.stages import Stage
from apps.console.pages.drawings.version_strip import strip
from apps.console.pages.filter_chips import Chip
from apps.console.pages.metrics import heat_map
from apps.console.pages.metrics.rate_chart import rate_chart
from apps.console.pages.project import session_rows
from apps.console.pages.project.facets import Choice, Facet
from apps.console.pages.project.narrowing import Narrowing
from apps.console.pages.session import change_table, json_tree
from apps.console.pages.session.conversation import tool_calls
from apps.console.pages.session.differences import side_by_side
from apps.console.queries import Row
from apps.core.json import Json
from apps.metrics.figures import Figures
from apps.timeline.models import Session
from apps.timeline.queries import Bucket, Call
from apps.timeline.words import Status

BEFORE = {
    "destination": "NYC",
    "dates": {"depart": "2026-12-26", "return": "2027-01-02"},
    "hotel": {"id": "htl_204", "name": "The Bowery", "nights": 7},
    "price": {"amount": 3012, "currency": "EUR"},
    "user_request": "book flight and hotel",
}
AFTER = {
    "destination": None,
    "dates": {"depart": "2026-12-26", "return": None},
    "price": {"amount": 0, "currency": "EUR"},
    "user_request": "cancel everything",
    "retries": 2,
}
ICONS = (
    "home",
    "sessions",
    "compare",
    "rollbacks",
    "metrics",
    "alerts",
    "agents",
    "audit",
    "keys",
    "webhooks",
    "members",
    "search",
    "menu",
    "left",
    "right",
    "down",
    "copy",
    "clock",
    "fork",
    "undo",
    "hold",
    "tag",
    "more",
    "check",
    "user",
    "theme",
    "plus",
    "close",
    "lineage",
    "warning",
    "note",
    "approvals",
)
MARKS = ("update", "good", "flag", "rollback", "fork", "head")
ID = "sess_00000000000000000000000000"
TITLE = "London to New York for two, 26 Dec to 2 Jan, with hotel"
HOUR = timedelta(hours=1)


def context(now: datetime) -> dict[str, Any]:
    """Return one of everything that pages are put together from."""
    changes = change_table.compared(BEFORE, AFTER, n_bytes=0)
    of_agent = Project(slug="components", name="Components")
    return {
        "changes": changes,
        "chips": [
            Chip(value="agent:travel", without=""),
            Chip(name="status", value="Suspended", without=""),
        ],
        "lines": _lines(changes),
        "tree": json_tree.tree(BEFORE, changed=["/dates/return", "/destination"]),
        "life": _life(now),
        "statuses": [*Status.values, "expired", *session_rows.STANDINGS],
        "icons": ICONS,
        "now": now,
        "sample": Membership(project=of_agent, role=Role.ADMIN),
        "rows": _rows(now),
        "session": Session(id=ID, head_number=159),
        "strip": strip(_buckets(), 60),
        "cards": _cards(),
        "narrowing": _narrowing(now),
        **_of_metrics(now),
    }


def _lines(changes: change_table.Compared) -> list[side_by_side.Line]:
    if changes.comparison is None:
        raise AssertionError("Both states are whole.")
    return side_by_side.lines(changes.comparison, changes.rows, changes.noise)


def _rows(now: datetime) -> list[session_rows.SessionRow]:
    """Return a session of each standing, with each of the marks in its strip."""
    agent = Agent(external_id="travel-agent")
    kinds = [*session_rows.WORDS]
    return [
        session_rows.SessionRow(
            row=Row(
                session=Session(
                    id=ID, agent=agent, head_number=len(kinds) - 1, updated_at=now
                ),
                status=status,
            ),
            status=status,
            tasks=(3, 7),
            title=TITLE,
            user="u_17",
            words="destination and both dates lost; total 3,012 to 0",
            kind=kind,
            release="1.8.1",
            strip=session_rows.Strip(
                ticks=[
                    session_rows.Tick(at, one, is_head=at == len(kinds) - 1)
                    for at, one in enumerate(kinds)
                ],
                has_older=True,
            ),
        )
        for status, kind in (
            ("wrong", "flag"),
            ("rolled", "rollback"),
            ("active", "update"),
        )
    ]


def _buckets() -> list[Bucket]:
    return [
        Bucket(
            low=at,
            high=at,
            size=400 + 37 * (at % 40),
            flagged=at if at % 50 == 20 else None,
            rollback=at if at % 50 == 30 else None,
            fork=at if at % 50 == 40 else None,
        )
        for at in range(160)
    ]


def _cards() -> list[tool_calls.Card]:
    found: Json = {"from": "LHR", "to": "NYC"}
    sent: Json = {"to": "u_17", "template": "booking_cancelled"}
    return [
        tool_calls.card(
            Call(name="search_flights", arguments=found), ["UA123", "BA178"]
        ),
        tool_calls.card(Call(name="email_customer", arguments=sent)),
    ]


def _narrowing(now: datetime) -> Narrowing:
    choices = [
        Choice(name="travel-agent", count=41, url="#content"),
        Choice(name="refund-agent", count=7, url="#content"),
    ]
    stretches = [
        Stretch(
            start=now - (48 - at) * HOUR,
            end=now - (47 - at) * HOUR,
            count=3 + at * 7 % 19,
            rolled_back=at * 7 % 19 // 4,
            wrong=at * 7 % 19 // 9,
            url="#content",
        )
        for at in range(48)
    ]
    return Narrowing(
        total="48 sessions",
        facets=[Facet(title="Agent", choices=choices, n_more=2)],
        histogram=histogram(stretches, (now - 12 * HOUR, now - 6 * HOUR)),
    )


def _of_metrics(now: datetime) -> dict[str, Any]:
    starts = [now - (24 - at) * HOUR for at in range(24)]
    found = {
        at: Figures(sessions=40 if place % 6 else 4, rolled_back=place * 5 % 7)
        for place, at in enumerate(starts)
    }
    earlier = {at - 24 * HOUR: Figures(sessions=40, rolled_back=1) for at in starts}
    chart = rate_chart(found, starts, now, zone=UTC, before=earlier)
    week = {
        (day, hour): Figures(sessions=hour * 3, rolled_back=hour * day // 14)
        for day in range(1, 8)
        for hour in range(6, 22)
    }
    return {
        "chart": chart,
        "spots": [(spot, "#content") for spot in chart.spots],
        "cells": heat_map.heat_map(week, UTC),
        "legend": list(enumerate(heat_map.LEGEND)),
        "days": list(enumerate(heat_map.DAYS)),
    }


def _life(now: datetime) -> LifeLine:
    """Return a line with each of the marks."""
    step = 100 / len(MARKS)
    places = [f"{step * (index + 0.5):.2f}%" for index in range(len(MARKS))]
    nodes = [
        Node(
            number=number,
            x=place,
            y=LIVE_Y,
            mark=mark,
            words=mark,
            sentence=f"v{number}, {mark}",
            at=now,
            is_aside=False,
            is_selected=mark == "flag",
            n_forks=int(mark == "good"),
        )
        for number, (mark, place) in enumerate(zip(MARKS, places, strict=True))
    ]
    links = [
        Link(
            x1=before,
            y1=LIVE_Y,
            x2=after,
            y2=LIVE_Y,
            middle=after,
            kind="live",
            folded=0,
        )
        for before, after in itertools.pairwise(places)
    ]
    stage = Stage(x="0.1%", width="99.8%", middle="50%", name="search", label="search")
    return LifeLine(nodes=nodes, links=links, stages=[stage], suspect=None)
