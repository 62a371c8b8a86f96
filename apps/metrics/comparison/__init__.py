"""Compare a time with the one before it: how the rate moved, and because of what."""

from apps.metrics.comparison.periods import period_before
from apps.metrics.comparison.trend import Cause, Direction, Trend, releases_of, trend_of

__all__ = ["Cause", "Direction", "Trend", "period_before", "releases_of", "trend_of"]
