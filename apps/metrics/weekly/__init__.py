"""The weekly summary: the rate beside the week before, what was worst, what changed."""

from apps.metrics.weekly.telling import sweep, week_before

__all__ = ["sweep", "week_before"]
