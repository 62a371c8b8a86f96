"""Metrics for Prometheus at `/metrics`: each app registers its families.

The format is left to `prometheus_client`, an optional package: without it, or without
a token, nothing is told and nothing is counted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

from django.conf import settings

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry, Counter, Histogram, Metric

# Where the processes of one server share what they count, as `prometheus_client` has
# it. Counts of one process alone would be wrong: a scrape reaches any of them.
SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Family:
    """One gauge: each sample has a value for every label."""

    name: str
    help: str
    labels: Sequence[str] = ()
    samples: list[tuple[Sequence[str], float]] = field(default_factory=list)

    def add(self, value: float, *labels: str) -> None:
        self.samples.append((labels, value))


Source = Callable[[datetime], Iterable[Family]]
# Apps above enter themselves here, by their name.
SOURCES: dict[str, Source] = {}


class Observe(Protocol):
    """Counts a request that is answered."""

    def __call__(
        self, *, method: str, route: str, status: int, seconds: float
    ) -> None: ...


def is_on() -> bool:
    """Say whether anybody may ask: a token is set, and the package is there."""
    return bool(settings.METRICS_TOKEN) and find_spec("prometheus_client") is not None


def text(now: datetime) -> tuple[bytes, str]:
    """Return everything in Prometheus' text format, and its content type."""
    from prometheus_client import CollectorRegistry
    from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

    registry = CollectorRegistry()
    registry.register(_Told(now))
    if counts_requests():
        _add_requests(registry)
    return generate_latest(registry), CONTENT_TYPE_LATEST


def counts_requests() -> bool:
    """Say whether requests are counted: only where processes can share the counts."""
    return is_on() and os.path.isdir(os.environ.get(SHARED_FOLDER, ""))


def observer() -> Observe | None:
    """Return what counts a request; None where none is counted."""
    if not counts_requests():
        return None
    histogram = _histogram()

    def observe(*, method: str, route: str, status: int, seconds: float) -> None:
        histogram.labels(method, route, f"{status // 100}xx").observe(seconds)

    return observe


def count(name: str, help: str, **labels: str) -> None:
    """Count something once, for all processes together; where nobody may ask, nothing.

    Labels have to be few: each combination is kept in a file for good.
    """
    if counts_requests():
        _counter(name, help, tuple(labels)).labels(**labels).inc()


class _Told:
    """A collector of what the apps tell at this moment."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def describe(self) -> list[Metric]:
        """Registering asks nobody: the families are seen when they are collected."""
        return []

    def collect(self) -> Iterator[Metric]:
        from prometheus_client.core import GaugeMetricFamily

        for source in SOURCES.values():
            for family in source(self.now):
                told = GaugeMetricFamily(
                    family.name, family.help, labels=list(family.labels)
                )
                for labels, value in family.samples:
                    told.add_metric(list(labels), value)
                yield told


def _add_requests(registry: CollectorRegistry) -> None:
    from prometheus_client.multiprocess import MultiProcessCollector

    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]


@cache
def _histogram() -> Histogram:
    from prometheus_client import Histogram

    return Histogram(
        "stepback_http_request_duration_seconds",
        "How long answers took, by the route's pattern.",
        ["method", "route", "status"],
        buckets=SECONDS,
        registry=None,
    )


@cache
def _counter(name: str, help: str, labels: tuple[str, ...]) -> Counter:
    from prometheus_client import Counter

    return Counter(name, help, labels, registry=None)
