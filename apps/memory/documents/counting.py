"""Count the memories that a caller may see."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Count, Q

from apps.agents.scope import Scope
from apps.memory.documents.owners import living_sessions
from apps.memory.models import Memory, MemoryScope

# Sessions whose own memories are counted, the newest of them: whether each is over, and
# whose it is, has to be looked at.
MOST_SESSIONS = 1_000


def count_standing(scope: Scope, *, now: datetime) -> int:
    """Return how many memories stand: exact, but for those of sessions.

    Of sessions that are not over those of the newest `MOST_SESSIONS` that have any.
    """
    standing = Memory.objects.of_project(scope.project.id).standing(now=now)
    everybodys = Q(scope__in=[MemoryScope.USER, MemoryScope.PROJECT])
    agents = Q(scope=MemoryScope.AGENT)
    if scope.agents is not None:
        agents &= Q(owner__in=scope.agent_list)
    of_sessions = standing.filter(scope=MemoryScope.SESSION).values_list("owner")
    newest = of_sessions.annotate(Count("id")).order_by("-owner")[:MOST_SESSIONS]
    counted: dict[str, int] = dict(newest)
    living = living_sessions(scope, counted, now=now)
    own = sum(counted[one] for one in living)
    return own + standing.filter(everybodys | agents).count()
