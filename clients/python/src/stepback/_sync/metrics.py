# Written by make_sync.py from _async/metrics.py: do not edit.
"""The rollback rate, and what goes with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, Unpack

from stepback import answers
from stepback._sync.resource import Resource
from stepback.calls import require_known
from stepback.stories import Asked

Result = TypeVar("Result")


class Metrics(Resource):
    """Figures of a time."""

    def summary(self, **asked: Unpack[Asked]) -> answers.MetricsSummary:
        """Return all figures of a time."""
        return self._figures("summary", answers.MetricsSummary.of, asked)

    def series(self, **asked: Unpack[Asked]) -> answers.MetricsList:
        """Return the rollback rate over time."""
        return self._figures("series", answers.MetricsList.of, asked)

    def agents(
        self, *, limit: int | None = None, **asked: Unpack[Asked]
    ) -> answers.MetricsList:
        """Rank the agents by their rollback rate, the worst first."""
        return self._figures("agents", answers.MetricsList.of, asked, limit=limit)

    def breakdown(
        self, by: str, *, limit: int | None = None, **asked: Unpack[Asked]
    ) -> answers.MetricsList:
        """Return the rollback rate by release, model, reason or who rolled back."""
        read = answers.MetricsList.of
        return self._figures("breakdown", read, asked, by=by, limit=limit)

    def tools(
        self, *, limit: int | None = None, **asked: Unpack[Asked]
    ) -> answers.MetricsList:
        """Return the calls of each tool and how many failed, most failed first."""
        return self._figures("tools", answers.MetricsList.of, asked, limit=limit)

    def usage(
        self, by: str = "model", *, limit: int | None = None, **asked: Unpack[Asked]
    ) -> answers.MetricsList:
        """Return tokens and cost by agent, release or model, the most tokens first."""
        read = answers.MetricsList.of
        return self._figures("usage", read, asked, by=by, limit=limit)

    def data(
        self, *, window: str | None = None, limit: int | None = None
    ) -> answers.DataMetrics:
        """Return what agents keep, wrote, and had held back by policies."""
        read, segments = answers.DataMetrics.of, ("metrics", "data")
        return self._ask(read, segments, window=window, limit=limit)

    def _figures(
        self, what: str, read: Callable[[Any], Result], asked: Asked, **more: Any
    ) -> Result:
        require_known(asked, Asked.__optional_keys__)
        when = {"from": asked.get("start"), "to": asked.get("end")}
        others = {"window": asked.get("window"), "agent_id": asked.get("agent_id")}
        return self._ask(read, ("metrics", what), **when, **others, **more)
