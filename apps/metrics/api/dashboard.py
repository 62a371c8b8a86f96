"""What StateBase's dashboard shows, over REST."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core.http.openapi.schema import errors
from apps.core.time.moments import utc_text
from apps.metrics import ranges, totals
from apps.metrics.api import outputs
from apps.metrics.api.base import MetricsView
from apps.metrics.range_query import Reading
from apps.timeline import hooks


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
