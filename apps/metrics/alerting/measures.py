"""What a rule can be about: what each metric is called, counts, and is written as."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from apps.metrics.models import Metric


class Unit(StrEnum):
    """What a value and a threshold are given in."""

    SHARE = "share"  # 0.05 is 5 %
    SECONDS = "seconds"
    DEVIATIONS = "deviations"  # how far beyond chance


@dataclass(frozen=True, kw_only=True, slots=True)
class About:
    """How a metric is spoken of."""

    title: str
    unit: Unit = Unit.SHARE
    # What its sample is made of; the worker's lag has none.
    sample: str = "session"
    # Versions say their release; turns and the worker do not.
    has_releases: bool = False
    has_agents: bool = True
    # Whether its list of rollbacks is what is behind the value.
    is_of_rollbacks: bool = False


METRICS = {
    Metric.ROLLBACK_RATE: About(
        title="rollback rate", has_releases=True, is_of_rollbacks=True
    ),
    Metric.ROLLBACKS_PER_SESSION: About(
        title="rollbacks per session", has_releases=True, is_of_rollbacks=True
    ),
    Metric.UNLIKE_USUAL: About(
        title="rollback rate unlike usual",
        unit=Unit.DEVIATIONS,
        is_of_rollbacks=True,
    ),
    Metric.TOOL_ERRORS: About(title="tool errors", sample="call"),
    Metric.LATENCY: About(
        title="latency of 95 % of turns", unit=Unit.SECONDS, sample="turn"
    ),
    Metric.ESCALATION: About(title="escalation rate"),
    Metric.FLAGGED: About(title="sessions with flagged versions"),
    Metric.WORKER_LAG: About(
        title="lag of the worker", unit=Unit.SECONDS, sample="", has_agents=False
    ),
}
LONGEST_SECONDS = 86_400.0


def about(metric: str) -> About:
    """Return how a rule's metric is spoken of."""
    return METRICS[Metric(metric)]


def written(metric: str, value: float | None) -> str:
    """Write a value of a metric with its unit, or that there is none."""
    if value is None:
        return "no value"
    match about(metric).unit:
        case Unit.SHARE:
            return f"{value * 100:.1f} %"
        case Unit.SECONDS:
            return f"{value:,.1f} s"
    return f"{value:.1f} deviations"


def written_threshold(metric: str, threshold: float) -> str:
    """Write a threshold as it was given, without digits that nobody gave."""
    match about(metric).unit:
        case Unit.SHARE:
            return f"{threshold * 100:g} %"
        case Unit.SECONDS:
            return f"{threshold:g} s"
    return f"{threshold:g} deviations"


def written_sample(metric: str, sample: int) -> str:
    """Say of how many sessions, calls or turns a value is."""
    noun = about(metric).sample
    return f"{sample:,} {noun}{'' if sample == 1 else 's'}" if noun else ""
