"""Rollups, alert rules, and the weekly summary."""

from apps.metrics.models.alerts import AlertState, Each, GivenRules, Metric, Rule
from apps.metrics.models.rollups import Due, Reach, Revision, Sum, Usage, Worked
from apps.metrics.models.weekly import SummaryMail, SummaryReader, WeekTold

__all__ = [
    "AlertState",
    "Due",
    "Each",
    "GivenRules",
    "Metric",
    "Reach",
    "Revision",
    "Rule",
    "Sum",
    "SummaryMail",
    "SummaryReader",
    "Usage",
    "WeekTold",
    "Worked",
]
