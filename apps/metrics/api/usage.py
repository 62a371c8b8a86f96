"""What turns used, over REST."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.agents.models import Agent
from apps.core import paging
from apps.core.errors import InvalidRequest
from apps.metrics import spending
from apps.metrics.api import outputs, shapes
from apps.metrics.api.base import FAILURES, RANGE, MetricsView, list_of
from apps.metrics.range_query import Reading
from apps.metrics.ranges import Range
from apps.timeline.api import parameters


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

        Costs stand by currency; the range is widened to whole hours, also a short one.
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
            {"value": names.get(value, value)} | shapes.used(one)
            for value, one in ranked[:limit]
        ]
        # All turns of the hours that are counted, also those that said nothing.
        turns = reading.turns_in_hours()
        return Response(
            self.told(reading)
            | list_of(data, len(ranked) > limit)
            | {"by": by, "turns": turns, "total": shapes.used(found.total)}
        )

    def told(self, reading: Reading) -> dict[str, Any]:
        """Tell the whole hours that are counted, also of a short range."""
        since, until, _ = reading.hours
        counted = Range(start=since, end=until, name=reading.range.name)
        return shapes.ranged(counted, self.now)
