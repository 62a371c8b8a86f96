from __future__ import annotations

from importlib import import_module
from typing import Any

from django.apps import AppConfig

from apps.core.monitoring.exposition import SOURCES


class MemoryConfig(AppConfig):
    name = "apps.memory"
    label = "memory"

    def ready(self) -> None:
        """Have memories embedded, and told in the context of a session."""
        from apps.audit import feeding
        from apps.meaning.hooks import SENTENCES, TEXTS
        from apps.memory.documents.contents import text_of
        from apps.timeline.hooks import MEMORIES, Memories

        TEXTS["memory"] = text_of
        SENTENCES["memory"] = _of_memories
        import_module("apps.memory.keeping")
        feeding.FEEDS["memory"] = _feed
        SOURCES["memory"] = _families
        MEMORIES["memory"] = Memories(recall=_recall, count=_count, total=_total)


def _of_memories(documents: Any) -> Any:
    from apps.memory.documents.vectors import of_memories

    return of_memories(documents)


def _feed(entries: Any, now: Any) -> None:
    from apps.memory.formation.waiting import note_turns

    note_turns(entries, now)


def _families(now: Any) -> Any:
    from apps.memory.exposition import families

    return families(now)


def _recall(asked: Any) -> Any:
    from apps.memory.operations.recalling import recall

    return recall(asked)


def _count(project_id: Any, session_ids: Any, now: Any) -> Any:
    from apps.memory.models import Memory

    found = Memory.objects.of_project(project_id)
    return found.counted_of_sessions(session_ids, now=now)


def _total(scope: Any, now: Any) -> Any:
    from apps.memory.documents.counting import count_standing

    return count_standing(scope, now=now)
