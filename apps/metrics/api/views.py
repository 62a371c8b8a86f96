"""The numbers over REST. Every answer says from when to when, and of how many."""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.models import Agent
from apps.core import paging
from apps.core.errors import InvalidRequest
from apps.core.http.openapi.schema import errors
from apps.core.time.moments import utc_text
from apps.metrics import ranges, spending, totals
from apps.metrics.api import outputs
from apps.metrics.figures import Figures
from apps.metrics.range_query import Reading
from apps.metrics.ranges import Range
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
from apps.timeline import hooks
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
        return outputs.ranged(reading.range, self.now)

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
            "figures": outputs.figures(totals),
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
        data = [{"start": start} | outputs.rate(one) for start, one in found.items()]
        body = self.told(reading) | _list(data)
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
            | outputs.figures(found)
            for agent_id, found in ranked[:limit]
        ]
        return Response(self.told(reading) | _list(data, len(ranked) > limit, "id"))


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
        data = [{"value": value} | outputs.rate(one) for value, one in found[:limit]]
        return Response(
            self.told(reading) | _list(data, len(found) > limit) | {"by": by}
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
        return Response(self.told(reading) | _list(data, len(found) > limit))


class UsageView(MetricsView):
    """`/v1/metrics/usage`"""

    @extend_schema(
        operation_id="metrics_usage",
        parameters=[
            OpenApiParameter(
                "by",
                str,
                enum=list(spending.BY),
                default="model",
                description="By what tokens and cost are told apart.",
            ),
            *RANGE,
            parameters.limit(20),
        ],
        responses={200: outputs.UsageOutput, **FAILURES},
    )
    def get(self, request: Request) -> Response:
        """Return tokens and cost by agent, release or model, the most tokens first.

        Costs stand by currency; the range is widened to whole hours.
        """
        given = paging.text_of(request, "by")
        by = "model" if given is None else given
        if by not in spending.BY:
            raise InvalidRequest(f"by takes {', '.join(spending.BY)}.", param="by")
        limit = paging.limit_of(request)
        reading = self.asked(request)
        found = spending.spent(reading, by)
        names = {}
        if by == "agent":
            mine = Agent.objects.filter(id__in=list(found.by))
            names = dict(mine.values_list("id", "external_id"))
        ranked = sorted(found.by.items(), key=lambda one: (-one[1].tokens, one[0]))
        data = [
            {"value": names.get(value, value)} | outputs.used(one)
            for value, one in ranked[:limit]
        ]
        # All turns of the hours that are counted, also those that said nothing.
        turns = reading.totals().turns
        return Response(
            self.told(reading)
            | _list(data, len(ranked) > limit)
            | {"by": by, "turns": turns, "total": outputs.used(found.total)}
        )


class StatsView(MetricsView):
    """`/v1/dashboard/stats`"""

    @extend_schema(
        operation_id="dashboard_stats",
        responses={200: outputs.DashboardStats, **errors(401, 403, 429, 503)},
    )
    def get(self, request: Request) -> Response:
        """Return what StateBase's dashboard shows."""
        ever = totals.ever(self.scope.project.id, self.own_agents(), now=self.now)
        day = Reading(
            self.scope.project.id,
            ranges.window("24h", now=self.now),
            self.own_agents(),
        )
        stats = {
            "total_sessions": ever.began,
            "total_turns": ever.turns,
            "total_memories": hooks.memory_total(self.scope, now=self.now),
            "total_entities": 0,
            "active_sessions_24h": day.totals().sessions,
            "storage_usage_bytes": ever.stored,
        }
        activity = [
            {"timestamp": utc_text(hour), "count": count}
            for hour, count in day.acts_by_hour()
        ]
        return Response({"stats": stats, "recent_activity": activity})


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


def _list(
    data: list[dict[str, Any]], has_more: bool = False, id_name: str = ""
) -> dict[str, Any]:
    return {
        "object": "list",
        "data": data,
        "has_more": has_more,
        "first_id": data[0].get(id_name) if data else None,
        "last_id": data[-1].get(id_name) if data else None,
    }


def _classes(
    found: list[tuple[int, int | None, int]], of: str = "rollbacks"
) -> list[dict[str, Any]]:
    return [
        {"at_least": begins, "below": ends, of: count} for begins, ends, count in found
    ]
