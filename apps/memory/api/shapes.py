"""What is told of memories, in every spelling that clients read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from apps.core.time.moments import utc_text
from apps.memory.documents.contents import Content, Source
from apps.memory.documents.storing import Kept
from apps.memory.documents.vectors import embedded
from apps.memory.operations.adding import Added
from apps.memory.operations.importing import (
    IMPORTED,
    KNOWN,
    REFUSED,
    SAME,
    Outcome,
)
from apps.memory.operations.reading import History, Page
from apps.memory.operations.searching import SearchResult
from apps.memory.operations.stepping import Change, SteppedBack
from apps.timeline.queries import PastEntry


def memory_object(kept: Kept) -> dict[str, Any]:
    return memory_objects([kept])[0]


def added_object(added: Added) -> dict[str, Any]:
    """Return what was remembered; of what is new it is known if it has a vector."""
    if added.is_new:
        return _memory(added.kept, has_vector=added.is_embedded)
    return memory_object(added.kept)


def memory_objects(memories: Sequence[Kept]) -> list[dict[str, Any]]:
    """Return memories; which of them have a vector is read at once."""
    vectors = embedded(memories)
    return [_memory(one, has_vector=one.content.id in vectors) for one in memories]


def page_object(page: Page) -> dict[str, Any]:
    shown = memory_objects(page.memories)
    return _envelope(shown, has_more=page.has_more)


def search_object(result: SearchResult, query: str) -> dict[str, Any]:
    """Return what was found, and how it was looked for."""
    shown = memory_objects([one.kept for one in result.matches])
    scored = [
        one | {"score": match.score}
        for one, match in zip(shown, result.matches, strict=True)
    ]
    return _envelope(scored, has_more=False) | {
        "query": query,
        "method": result.method,
        "candidates": result.candidates,
        "pending": result.pending,
        "stale": result.stale,
        "truncated": result.is_truncated,
        "why": result.why,
    }


def history_object(history: History) -> dict[str, Any]:
    last = history.entries[-1].ordinal if history.entries else None
    return {
        "object": "list",
        "data": [_past(one, history) for one in history.entries],
        "removed": list(history.removed),
        "has_more": history.has_more,
        "next_cursor": str(last) if history.has_more else None,
    }


def _envelope(shown: list[dict[str, Any]], *, has_more: bool) -> dict[str, Any]:
    return {
        "object": "list",
        "data": shown,
        "has_more": has_more,
        "first_id": shown[0]["id"] if shown else None,
        "last_id": shown[-1]["id"] if shown else None,
    }


def _memory(kept: Kept, *, has_vector: bool) -> dict[str, Any]:
    content = kept.content
    return {
        "object": "memory",
        "id": content.id,
        "session_id": _session_id(content),
        "scope": content.scope,
        "user_id": content.owner if content.scope == "user" else None,
        "agent_id": content.owner if content.scope == "agent" else None,
        "content": content.content,
        "type": content.type,
        "tags": list(content.tags),
        "metadata": content.metadata,
        "confidence": content.confidence,
        "status": content.status,
        "reinforced": content.reinforced,
        "untraced": content.untraced,
        "near": [{"id": one.id, "similarity": one.similarity} for one in content.near],
        "replaced_by": content.replaced_by,
        "taken_version": content.taken_version,
        "source": _source(content.source),
        "external_id": content.external_id,
        "embedding_id": content.id.replace("mem_", "vec_") if has_vector else None,
        "vector_available": has_vector,
        "version": kept.ordinal,
        "number": kept.number,
        "created_at": utc_text(content.created_at),
        "updated_at": utc_text(kept.updated_at),
        "expires_at": utc_text(content.expires_at),
    }


def _session_id(content: Content) -> str:
    """Return a text in any case: published clients refuse null."""
    if content.scope == "session":
        return content.owner
    return content.source.session_id or ""


def _source(source: Source) -> dict[str, Any]:
    return source.told()


def _past(row: PastEntry, history: History) -> dict[str, Any]:
    content = history.contents.get(row.body_number or 0)
    memory = content and _memory(
        Kept(
            content=content,
            document_id=history.owner.document.id,
            number=row.number,
            ordinal=row.ordinal,
            updated_at=row.created_at,
        ),
        has_vector=False,
    )
    return {
        "version": row.ordinal,
        "number": row.number,
        "cause": row.cause,
        "memory": memory,
        "contents_erased": row.is_emptied,
        "restored_number": row.restored_number,
        "actor": {
            "kind": row.actor_kind,
            "id": row.actor_id,
            "label": row.actor_label,
        },
        "reasoning": row.reasoning,
        "trace_id": row.trace_id,
        "created_at": utc_text(row.created_at),
    }


def stepped_back_object(
    done: Sequence[SteppedBack], *, has_more: bool, untraced: int, is_dry: bool
) -> dict[str, Any]:
    return {
        "object": "memory_rollback",
        "dry_run": is_dry,
        "count": sum(one.count for one in done),
        "has_more": has_more,
        "untraced": untraced,
        "owners": [
            {
                "scope": one.owner.scope.value,
                "owner": one.owner.name,
                "number": one.number,
                "target": one.target,
                "stored_number": one.stored_number,
                "count": one.count,
                "changes": [_change(each) for each in one.changes],
                "has_more": one.count > len(one.changes),
            }
            for one in done
        ],
    }


def import_object(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    counts = Counter(one.result for one in outcomes)
    return {
        "object": "memory_import",
        **{name: counts[name] for name in (IMPORTED, KNOWN, SAME, REFUSED)},
        "results": [
            {
                "index": one.place,
                "id": one.external_id,
                "result": one.result,
                "memory_id": one.memory_id,
                "code": one.why and one.why.code,
                "message": one.why and one.why.message,
                "param": one.why and one.why.param,
            }
            for one in outcomes
        ],
    }


def _change(change: Change) -> dict[str, Any]:
    shown = change.before or change.after
    return {
        "id": shown and shown.id,
        "before": _state(change.before),
        "after": _state(change.after),
    }


def _state(content: Content | None) -> dict[str, Any] | None:
    if content is None:
        return None
    return {
        "content": content.content,
        "type": content.type,
        "status": content.status,
        "confidence": content.confidence,
    }
