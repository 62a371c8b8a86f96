"""The numbers over REST. Every answer says from when to when, and of how many."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.models import Agent
from apps.core import paging
from apps.core.errors import InvalidRequest
from apps.core.time.moments import utc_text
from apps.metrics.api import outputs, shapes
from apps.metrics.api.base import FAILURES, RANGE, MetricsView, list_of
from apps.metrics.figures import Figures
from apps.metrics.ranking import (
    BREAKDOWNS,
    DEPTHS,
    FINE,
    MILLISECONDS,
    SECONDS,
    classes,
    latency_within,
    tools,
    worst_first,
)
from apps.metrics.ranking import breakdown as broken_down
from apps.timeline.api import parameters


class SummaryView(MetricsView):
    """`/v1/metrics/summary`"""

    @extend_schema(
        operation_id="metrics_summary",
        parameters=RANGE,
        responses={200: outputs.Summary, **FAILURES},
    )
    def get(self, request: Request) -> Response:
        """Return the rollback rate and all other numbers of a time."""
        reading = self.asked(request)
        groups = reading.groups("depth", "waited", "latency", FINE)
        totals = reading.totals()
        body = self.told(reading) | {
            "object": "metrics.summary",
            "figures": shapes.figures(totals),
            "depth": _classes(classes(groups, "depth", DEPTHS)),
            "seconds_to_rollback": _classes(classes(groups, "waited", SECONDS)),
            "latency_ms": _classes(
                classes(groups, "latency", MILLISECONDS), of="turns"
            ),
            "p95_latency_ms": None
            if totals.uncounted
            else latency_within(groups, 0.95),
        }
        return Response(body)


class SeriesView(MetricsView):
    """`/v1/metrics/series`"""

    @extend_schema(
        operation_id="metrics_series",
        parameters=RANGE,
        responses={200: outputs.Series, **FAILURES},
    )
    def get(self, request: Request) -> Response:
        """Return the rollback rate over time: by hour up to two days, else by day."""
        reading = self.asked(request)
        found: dict[str, Figures] = defaultdict(Figures)
        for point in reading.series():
            found[utc_text(point.start) or ""] += Figures(
                sessions=point.sessions,
                rolled_back=point.rolled_back,
                rollbacks=point.rollbacks,
            )
        data = [{"start": start} | shapes.rate(one) for start, one in found.items()]
        body = self.told(reading) | list_of(data)
        body["step_seconds"] = int(reading.range.step.total_seconds())
        return Response(body)


class AgentsView(MetricsView):
    """`/v1/metrics/agents`"""

    @extend_schema(
        operation_id="metrics_agents",
        parameters=[*RANGE, parameters.limit(20)],
        responses={200: outputs.AgentsRanked, **FAILURES},
    )
    def get(self, request: Request) -> Response:
        """Rank the agents by their rollback rate, the worst first."""
        limit = paging.limit_of(request)
        reading = self.asked(request)
        ranked = worst_first(reading.by_agent())
        ids = [agent_id for agent_id, _ in ranked[:limit]]
        names = dict(Agent.objects.filter(id__in=ids).values_list("id", "external_id"))
        data = [
            {"id": agent_id, "agent_id": names.get(agent_id, agent_id)}
            | shapes.figures(found)
            for agent_id, found in ranked[:limit]
        ]
        return Response(self.told(reading) | list_of(data, len(ranked) > limit, "id"))


class BreakdownView(MetricsView):
    """`/v1/metrics/breakdown`"""

    @extend_schema(
        operation_id="metrics_breakdown",
        parameters=[
            OpenApiParameter(
                "by",
                str,
                enum=list(BREAKDOWNS),
                default="release",
                description="What rollbacks are laid to.",
            ),
            *RANGE,
            parameters.limit(20),
        ],
        responses={200: outputs.Breakdown, **FAILURES},
    )
    def get(self, request: Request) -> Response:
        """Return the rollback rate by release, model, reason or who rolled back."""
        given = paging.text_of(request, "by")
        by = "release" if given is None else given
        if by not in BREAKDOWNS:
            raise InvalidRequest(f"by takes {', '.join(BREAKDOWNS)}.", param="by")
        limit = paging.limit_of(request)
        reading = self.asked(request)
        found = broken_down(reading, by)
        data = [{"value": value} | shapes.rate(one) for value, one in found[:limit]]
        return Response(
            self.told(reading) | list_of(data, len(found) > limit) | {"by": by}
        )


class ToolsView(MetricsView):
    """`/v1/metrics/tools`"""

    @extend_schema(
        operation_id="metrics_tools",
        parameters=[*RANGE, parameters.limit(20)],
        responses={200: outputs.Tools, **FAILURES},
    )
    def get(self, request: Request) -> Response:
        """Return the calls of each tool and how many failed, most failed first."""
        limit = paging.limit_of(request)
        reading = self.asked(request)
        found = tools(reading)
        data = [
            {
                "tool": name,
                "calls": one.tool_calls,
                "errors": one.tool_errors,
                "error_rate": one.tool_error_rate,
            }
            for name, one in found[:limit]
        ]
        return Response(self.told(reading) | list_of(data, len(found) > limit))


def _classes(
    found: list[tuple[int, int | None, int]], of: str = "rollbacks"
) -> list[dict[str, Any]]:
    return [
        {"at_least": begins, "below": ends, of: count} for begins, ends, count in found
    ]
