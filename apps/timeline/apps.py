from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from django.apps import AppConfig

from apps.audit import feeding
from apps.audit.covered import register
from apps.audit.entries import Entry
from apps.timeline.covered import LABEL, NOTE, REVIEW, SCORE, SESSION, SUMMARY

if TYPE_CHECKING:
    from apps.agents.models import Agent


class TimelineConfig(AppConfig):
    name = "apps.timeline"
    label = "timeline"

    def ready(self) -> None:
        """Have agents look into states: it needs models, which are there only now."""
        from apps.agents import mapping
        from apps.schemas import hooks as schemas
        from apps.timeline.hooks import keeping

        mapping.LOOKS["timeline"] = _containers
        feeding.FEEDS["timeline"] = _feed
        schemas.WRITTEN["timeline"] = _is_written
        register(LABEL, NOTE, REVIEW, SCORE, SESSION, SUMMARY)
        keeping.URGENT["timeline"] = _seal


def _containers(agent: "Agent", places: Sequence[str], now: datetime) -> dict[str, str]:
    """Load the facade with the first mapping: starting does without it."""
    from apps.timeline.queries import containers

    return containers(agent, places, now)


def _is_written(project_id: str, agent_id: str, version: str) -> bool:
    """Load what looks into versions with the first look: it needs models."""
    from apps.timeline.queries.migrating import is_written

    return is_written(project_id, agent_id, version)


def _seal(now: datetime, is_stopping: Callable[[], bool]) -> int:
    """Load what seals older data with the first look for some: it needs models."""
    from apps.timeline.operations.keeping import seal_older

    return seal_older(now, is_stopping)


def _feed(entries: Sequence[Entry], now: datetime) -> None:
    """Load what follows from events with the first of them: it needs models."""
    from apps.timeline.ledger import escalating

    escalating.feed(entries, now)
