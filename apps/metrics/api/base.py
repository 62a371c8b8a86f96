"""What views of metrics have in common: of when, and of which agents."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from apps.agents.models import Agent
from apps.core import paging
from apps.core.errors import InvalidRequest
from apps.core.http.openapi.schema import errors
from apps.metrics import ranges
from apps.metrics.api import shapes
from apps.metrics.range_query import Reading
from apps.metrics.ranges import Range
from apps.timeline.api import parameters
from apps.timeline.api.base import TimelineView

RANGE = [
    OpenApiParameter(
        "window",
        str,
        enum=list(ranges.WINDOWS),
        default=ranges.USUAL,
        description="Up to now; not together with `from`.",
    ),
    parameters.time("from", "ISO 8601; up to `to`, without it up to now."),
    parameters.time("to", "ISO 8601; needs `from`."),
    parameters.text("agent_id", "Your name of one agent, or our id."),
]
FAILURES = errors(400, 401, 403, 429, 503)


class MetricsView(TimelineView):
    """What views of metrics have in common."""

    def asked(self, request: Request) -> Reading:
        """Return the reading of the range and the agents that are asked for.

        Raises: InvalidRequest.
        """
        return Reading(
            self.scope.project.id, range_of(request, self.now), self._agents(request)
        )

    def told(self, reading: Reading) -> dict[str, Any]:
        return shapes.ranged(reading.range, self.now)

    def _agents(self, request: Request) -> list[str] | None:
        name = paging.text_of(request, "agent_id")
        if name is not None:
            # As in lists: of an agent that is not there, there is nothing.
            mine = Agent.objects.visible_to(self.scope).named(name)
            return list(mine.values_list("id", flat=True))
        return self.own_agents()

    def own_agents(self) -> list[str] | None:
        """Return the agents that the key may see; None means all."""
        if self.scope.agents is None:
            return None
        return list(Agent.objects.visible_to(self.scope).values_list("id", flat=True))


def range_of(request: Request, now: Any) -> Range:
    """Return the range that is asked for.

    Raises: InvalidRequest.
    """
    name = paging.text_of(request, "window")
    start, end = paging.moment_of(request, "from"), paging.moment_of(request, "to")
    if start is None:
        if end is not None:
            raise InvalidRequest("to needs from.", param="to")
        return ranges.window(ranges.USUAL if name is None else name, now=now)
    if name is not None:
        raise InvalidRequest("Give window or from, not both.", param="window")
    return ranges.between(start, end or now + timedelta(0), now=now)


def list_of(
    data: list[dict[str, Any]], has_more: bool = False, id_name: str = ""
) -> dict[str, Any]:
    return {
        "object": "list",
        "data": data,
        "has_more": has_more,
        "first_id": data[0].get(id_name) if data else None,
        "last_id": data[-1].get(id_name) if data else None,
    }
