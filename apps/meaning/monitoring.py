"""Whether texts are embedded, and how far that is behind: for health and Prometheus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.utils import timezone

from apps.core import sql
from apps.core.monitoring.exposition import Family
from apps.core.monitoring.health import Probe
from apps.meaning import embedding
from apps.meaning.embedding import Reading

# What is written is embedded within seconds; what waits longer waits for something.
LATE_SECONDS = 60.0
# Written keys and memories, and old versions; `least` passes by what is null.
_STATE = """
SELECT least((SELECT min(due_at) FROM meaning_stream WHERE due_at IS NOT NULL),
             (SELECT min(due_at) FROM meaning_paststream WHERE due_at IS NOT NULL))
           AS due_at,
       (SELECT coalesce(sum(failures), 0)::bigint FROM meaning_failure) AS failures
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class State:
    """Since when something waits, None for nothing, and what failed so far."""

    due_at: datetime | None
    failures: int

    def lag_seconds(self, now: datetime) -> float:
        waited = (now - self.due_at).total_seconds() if self.due_at else 0.0
        return max(waited, 0.0)


def state() -> State:
    """Return how far the worker is."""
    (found,) = sql.records(State, _STATE, [])
    return found


def ask_state() -> State:
    """As `state`, in a thread whose connection nobody else has."""
    try:
        return state()
    finally:
        connections[DEFAULT_DB_ALIAS].close()


PROBE = Probe(ask_state)


def report() -> dict[str, Any]:
    """Return what the ready endpoint says: which model, and whether it keeps up."""
    about: dict[str, Any] = {
        "model": embedding.name(),
        "model_of_memories": embedding.name(Reading.SENTENCES),
    }
    missing, lacking = embedding.missing(), embedding.lacking()
    if lacking is not None:
        about["how"] = lacking
    if missing is not None:
        return {"status": "not installed", **about}
    found = PROBE.answer()
    if found is None:
        return {"status": "unavailable", **about}
    lag = found.lag_seconds(timezone.now())
    status = "healthy" if lag < LATE_SECONDS else "behind"
    return {"status": status, **about, "lag_seconds": round(lag, 1)}


def families(now: datetime) -> Iterator[Family]:
    """Yield what Prometheus is told: how far embedding is behind, and what failed."""
    found = PROBE.answer()
    if found is None:
        return
    lag = Family(
        "stepback_embedding_lag_seconds",
        "Seconds that the oldest write, or old version, has waited to be embedded.",
    )
    lag.add(found.lag_seconds(now))
    yield lag
    failures = Family(
        "stepback_embedding_failures", "Attempts to embed texts that failed."
    )
    failures.add(found.failures)
    yield failures
