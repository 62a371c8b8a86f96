"""The sessions of a rule's agent and release that are still broken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.agents.models import Agent
from apps.console.pages.project.session_rows import titles_of
from apps.metrics.models import Rule
from apps.timeline.queries import MOST_COUNTED, OpenVersion, newest_open
from apps.timeline.words import OpenKind

SHOWN = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Broken:
    """A session, and its newest version that looks wrong and is live."""

    title: str
    agent: str
    version: OpenVersion


@dataclass(frozen=True, kw_only=True, slots=True)
class BrokenList:
    """Sessions that nobody has stepped back, the newest first."""

    sessions: list[Broken]
    has_more: bool
    # Whether all of the project were looked at; else so many, the newest.
    is_whole: bool
    looked_at: int


def broken_of(rule: Rule, *, now: datetime) -> BrokenList:
    """Return the sessions that a rule looks at and that look wrong."""
    newest = newest_open(rule.project_id, OpenKind.FLAGGED, now=now)
    by_session: dict[str, OpenVersion] = {}
    for one in newest[:MOST_COUNTED]:
        if _is_seen(rule, one):
            by_session.setdefault(one.session_id, one)
    found = list(by_session.values())
    return BrokenList(
        sessions=_named(rule, found[:SHOWN]),
        has_more=len(found) > SHOWN,
        is_whole=len(newest) <= MOST_COUNTED,
        looked_at=min(len(newest), MOST_COUNTED),
    )


def _is_seen(rule: Rule, one: OpenVersion) -> bool:
    is_of_agent = rule.agent_id in (None, one.agent_id)
    return is_of_agent and rule.release in (None, one.release)


def _named(rule: Rule, found: Sequence[OpenVersion]) -> list[Broken]:
    titles = titles_of([one.session_id for one in found])
    agents = Agent.objects.of_project(rule.project_id)
    mine = agents.filter(id__in={one.agent_id for one in found})
    names = dict(mine.values_list("id", "external_id"))
    return [
        Broken(
            title=titles[one.session_id], agent=names.get(one.agent_id, ""), version=one
        )
        for one in found
    ]
