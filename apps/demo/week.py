"""The demo project: a week of three agents, told through the public operations.

One thing goes wrong: ten hours before the week ends a release of the travel agent is
shipped that loses trips.

Its clock is the project's creation, seven days before it is loaded. A load can be
cut short and repeated: every act finds out whether it was performed before.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from apps.accounts import operations as accounts
from apps.accounts.models import Project
from apps.agents import operations as agents
from apps.agents.acts import Act
from apps.agents.errors import AgentExists
from apps.agents.scope import Scope
from apps.core.actors import Actor
from apps.core.provenance import unrequested
from apps.demo import (
    keeping,
    refunds,
    remembering,
    research,
    trips,
    wiped_trips,
)
from apps.demo.people import DIRECTOR, hired
from apps.demo.script import Stage, Story

SLUG = "demo"
WEEK = timedelta(days=7)
AGENTS: dict[str, dict[str, Any]] = {
    trips.AGENT: {
        "name": "Travel agent",
        "description": "Books flights and hotels in a chat.",
        "owner": "travel-team",
        "team": "Travel",
        "tags": ["prod", "eu"],
    },
    refunds.AGENT: {
        "name": "Refund agent",
        "description": "Decides and pays refunds of the shop.",
        "owner": "support-team",
        "team": "Support",
    },
    research.AGENT: {
        "name": "Research agent",
        "description": "Answers questions with sources, in long runs.",
        "owner": "research-team",
        "team": "Research",
    },
}


def begin(*, actor: Actor, now: datetime) -> Project:
    """Make the project, as if a week ago."""
    start = now - WEEK
    return accounts.create_project(
        slug=SLUG,
        name="Demo",
        act=unrequested(actor, start),
    )


def load(project: Project, *, is_stopping: Callable[[], bool]) -> None:
    """Perform what is missing of the week, in the order in which it happened."""
    start = project.created_at
    _register(project, start)
    actors = hired(project, AGENTS, until=start + WEEK)
    stage = Stage(scope=Scope(project), actors=actors)
    scenes = [scene for story in stories(start) for scene in story.scenes]
    scenes += keeping.scenes(start)
    scenes += remembering.scenes(start)
    for scene in sorted(scenes, key=lambda scene: scene.at):
        if is_stopping():
            return
        scene.play(stage)


def stories(start: datetime) -> list[Story]:
    """Return the sessions of the week that begins at `start`."""
    told = (wiped_trips.stories, trips.stories, refunds.stories, research.stories)
    return [story for tell in told for story in tell(start)]


def _register(project: Project, now: datetime) -> None:
    who = unrequested(DIRECTOR, now)
    act = Act(scope=Scope(project), actor=who.actor, now=who.now, request=who.request)
    for external_id, fields in AGENTS.items():
        try:
            agents.create(
                act=act,
                external_id=external_id,
                fields=fields,
            )
        except AgentExists:
            continue
