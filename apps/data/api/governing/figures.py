"""Figures of agents' data over REST."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from drf_spectacular.utils import (
    OpenApiParameter,
    extend_schema,
    extend_schema_serializer,
)
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core import paging
from apps.core.errors import InvalidRequest
from apps.core.http.openapi.schema import errors
from apps.core.time.moments import utc_text
from apps.data.browsing.figures import AgentFigures, DataFigures, data_figures
from apps.timeline.api.base import TimelineView

WINDOWS = {
    "1h": timedelta(hours=1),
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
}
USUAL = "24h"
WRITES = "Versions of its data and config within the window."


@extend_schema_serializer(component_name="AgentDataFigures")
class AgentFiguresOutput(serializers.Serializer[Any]):
    """What one agent keeps, and did in the window."""

    agent_id = serializers.CharField()
    external_id = serializers.CharField()
    keys = serializers.IntegerField()
    bytes = serializers.IntegerField()
    writes = serializers.IntegerField(help_text=WRITES)
    blocked = serializers.IntegerField()


@extend_schema_serializer(component_name="DataMetrics")
class DataMetricsOutput(serializers.Serializer[Any]):
    """What all agents that the key sees keep, and what policies held back."""

    object = serializers.CharField()
    window = serializers.ChoiceField(choices=list(WINDOWS))
    start = serializers.DateTimeField()
    end = serializers.DateTimeField()
    agents = serializers.IntegerField(help_text="That keep data or a config.")
    has_more_agents = serializers.BooleanField(
        help_text="Whether there are agents, registered earlier, that are not in it."
    )
    keys = serializers.IntegerField()
    bytes = serializers.IntegerField()
    blocked = serializers.IntegerField(help_text="Writes within the window.")
    blocked_by_policy = serializers.DictField(child=serializers.IntegerField())
    has_more_blocked = serializers.BooleanField(
        help_text="Whether more was blocked: only the newest are counted."
    )
    data = AgentFiguresOutput(many=True, help_text="The largest first.")  # type: ignore[assignment]
    has_more = serializers.BooleanField()


class DataMetrics(TimelineView):
    """`/v1/metrics/data`"""

    @extend_schema(
        operation_id="get_data_metrics",
        parameters=[
            OpenApiParameter(
                "window",
                str,
                enum=list(WINDOWS),
                default=USUAL,
                description="Up to now.",
            ),
            OpenApiParameter("limit", int, description="Agents told one by one."),
        ],
        responses={200: DataMetricsOutput} | errors(400, 401, 403, 429, 503),
    )
    def get(self, request: Request) -> Response:
        """Return what agents keep, wrote, and had held back by policies."""
        window = _window_of(request)
        start, limit = self.now - WINDOWS[window], paging.limit_of(request)
        found = data_figures(scope=self.scope, start=start, end=self.now, limit=limit)
        when = {"start": utc_text(start), "end": utc_text(self.now)}
        return Response(
            {"object": "data_metrics", "window": window, **when} | _told(found)
        )


def _window_of(request: Request) -> str:
    """Return the name of the window; raises `InvalidRequest`, for an empty one too."""
    said = paging.text_of(request, "window")
    window = USUAL if said is None else said
    if window not in WINDOWS:
        raise InvalidRequest(f"window takes {', '.join(WINDOWS)}.", param="window")
    return window


def _told(found: DataFigures) -> dict[str, Any]:
    return {
        "agents": found.agents,
        "has_more_agents": found.has_more_agents,
        "keys": found.keys,
        "bytes": found.bytes,
        "blocked": sum(found.blocked.values()),
        "blocked_by_policy": dict(sorted(found.blocked.items())),
        "has_more_blocked": found.has_more_blocked,
        "data": [_agent(one) for one in found.largest],
        "has_more": found.agents > len(found.largest),
    }


def _agent(one: AgentFigures) -> dict[str, Any]:
    return {
        "agent_id": one.agent.id,
        "external_id": one.agent.external_id,
        "keys": one.keys,
        "bytes": one.bytes,
        "writes": one.writes,
        "blocked": one.blocked,
    }
