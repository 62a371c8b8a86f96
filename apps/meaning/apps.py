"""Meaning: vectors of texts that agents keep, and which are nearest to a question."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from django.apps import AppConfig

from apps.core.monitoring import exposition, health


class MeaningConfig(AppConfig):
    name = "apps.meaning"
    label = "meaning"

    def ready(self) -> None:
        """Its families need models, which are there only now."""
        from apps.agents.hooks import NEARNESS
        from apps.audit.feeding import FEEDS
        from apps.meaning.monitoring import families, report

        FEEDS["meaning"] = _feed
        import_module("apps.meaning.keeping")
        NEARNESS["meaning"] = _nearness
        exposition.SOURCES["meaning"] = families
        health.SERVICES["meaning"] = report


def _nearness(question: str, texts: Sequence[str]) -> Sequence[float] | None:
    from apps.meaning.nearest import nearness

    return nearness(question, texts)


def _feed(entries: Any, now: Any) -> None:
    from apps.meaning.past.noticing import note_fed

    note_fed(entries, now)
