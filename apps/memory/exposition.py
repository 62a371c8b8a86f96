"""What Prometheus is told of memories: how many of which scope, what is
proposed, and how many turns form none.

Of the embedding, its lag and its failures `apps.meaning` tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Count, Sum

from apps.accounts.models import Project
from apps.core.monitoring.exposition import Family
from apps.memory.models import Formation, FormingTurn, Memory

MOST_PROJECTS = 100


def families(now: datetime) -> Iterator[Family]:
    """Yield memories by project, scope and status, and how their formation goes."""
    projects = dict(Project.objects.order_by("slug").values_list("id", "slug"))
    told = Family(
        "stepback_memories",
        "Memories that stand, by scope and status.",
        ("project", "scope", "status"),
    )
    for project_id, slug in list(projects.items())[:MOST_PROJECTS]:
        mine = Memory.objects.of_project(project_id).alive(now=now)
        counted = mine.values_list("scope", "status").annotate(Count("id"))
        for scope, status, count in counted.order_by("scope", "status"):
            told.add(count, slug, scope, status)
    yield told
    waiting = Family("stepback_formation_waiting", "Turns that are to form memories.")
    waiting.add(FormingTurn.objects.count())
    yield waiting
    lost = Family(
        "stepback_formation_given_up", "Turns that a model formed nothing of."
    )
    lost.add(Formation.objects.aggregate(lost=Sum("given_up"))["lost"] or 0)
    yield lost
