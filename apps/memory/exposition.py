"""What Prometheus is told of memories: how many of which scope, what is proposed, how
many turns form none, how many searches there were, and how many found nothing.

Of the embedding, its lag and its failures `apps.meaning` tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Count, Sum

from apps.accounts.models import Project
from apps.core.monitoring import exposition
from apps.core.monitoring.exposition import Family
from apps.memory.models import Formation, FormingTurn, Memory, MemoryScope

MOST_PROJECTS = 100
OTHER = "other"
# The projects that this process has counted searches of, by their names.
_seen: set[str] = set()


def count_search(project: Project, scope: MemoryScope, *, found: bool) -> None:
    """Count a search by its project and the narrowest scope that it names."""
    labels = {"project": _name(project), "scope": scope.value}
    exposition.count("stepback_memory_searches", "Searches of memories.", **labels)
    if not found:
        exposition.count(
            "stepback_memory_searches_without_result",
            "Of those, searches that found nothing near enough.",
            **labels,
        )


def _name(project: Project) -> str:
    """Return the project's name; behind the first so many all have one name."""
    if len(_seen) < MOST_PROJECTS:
        _seen.add(project.slug)
    return project.slug if project.slug in _seen else OTHER


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
