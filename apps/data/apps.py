from collections.abc import Mapping, Sequence
from typing import Any

from django.apps import AppConfig

from apps.audit.covered import register
from apps.core.monitoring.exposition import SOURCES
from apps.data.covered import EXCEPTION


class DataConfig(AppConfig):
    name = "apps.data"
    label = "data"

    def ready(self) -> None:
        """Have lists count what agents keep, verify hold it, and values embedded."""
        from apps.agents.hooks import COUNTERS
        from apps.audit import feeding
        from apps.data.documents.meaning import text_of
        from apps.meaning.hooks import TEXTS
        from apps.timeline.hooks import BESIDE
        from apps.timeline.hooks.keeping import MOMENTS

        feeding.FEEDS["data"] = _feed
        SOURCES["data"] = _families
        COUNTERS["data"] = _count
        TEXTS["data"] = text_of
        register(EXCEPTION)
        BESIDE["data"] = _differences
        MOMENTS["data"] = _kept


def _count(project: Any, agent_ids: Sequence[str]) -> Mapping[str, Any]:
    from apps.data.documents.counting import count

    return count(project, agent_ids)


def _differences(project: Any, agent_id: str, tally: Any) -> Any:
    from apps.data.checkpoints.verifying import differences

    return differences(project, agent_id, tally)


def _kept(document_id: str) -> Any:
    from apps.data.checkpoints.kept import numbers_needed

    return numbers_needed(document_id)


def _feed(entries: Any, now: Any) -> None:
    from apps.data.operations.keeping.releases import note_releases

    note_releases(entries, now)


def _families(now: Any) -> Any:
    from apps.data.exposition import families

    return families(now)
