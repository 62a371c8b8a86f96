"""Writing one entry where all about it is as usual, in one flat statement.

Whatever is not so stores nothing, and `write_entries` finds out what it was: it alone
holds the rules, this may know fewer cases, never more.
"""

from __future__ import annotations

from typing import Any

from apps.agents.acts import Act
from apps.core import sql
from apps.core.admission import gate
from apps.core.database import values
from apps.timeline.ledger.documents import calls
from apps.timeline.ledger.documents.sealing import seal
from apps.timeline.ledger.documents.values import Document, NewEntry, Written

# The arguments that are of the sealed version, by its own names.
_SEALED = (
    *("size", "trace_id", "salt", "reasoning_digest", "step_digest", "commitment"),
    *("leaf", "codec", "body_salt", "body_size", "data", "action", "resource_type"),
    *("record_salt", "resource_digest", "result", "facts"),
)
_OF_ACT = (
    *("project", "agent", "stream", "now", "api_key", "digest", "actor_kind"),
    *("actor_id", "actor_label", "reasoning", "key", "expires_at", "expected"),
    *("config", "floor", "most"),
)
_GIVEN = ", ".join(f"_{name} => %({name})s" for name in (*_OF_ACT, *_SEALED))
_WRITE = sql.PreparedQuery(
    sql.of_session(f"""
SELECT * FROM timeline_keyed_write_one_v1(
    _session => %(session)s, _details => %(details)s::jsonb, {_GIVEN})
"""),  # noqa: S608
    {
        "reasoning": values.TEXT,
        "expires_at": values.MOMENT,
        "expected": values.NUMBER,
        "most": values.NUMBER,
    },
)


def write_entry_plainly(
    *,
    act: Act,
    document: Document,
    entry: NewEntry,
    config: bytes,
    floor: str,
    most_keys: int | None = None,
    reasoning: str | None = None,
) -> Written | None:
    """Set a key, if the config that is committed to and the floor stand, else None.

    Also None, and nothing is stored, where anything else about it is out of the usual.
    It is for acts without a key of their own, and makes no event.
    """
    if act.request.key is not None or entry.told.event is not None:
        return None
    sealed = seal(
        act,
        document,
        op=entry.op,
        body=entry.body,
        told=entry.told,
        size=entry.size,
        reasoning=reasoning,
    )
    given: dict[str, Any] = {
        **sealed,
        "session": document.id,
        "project": act.project_id,
        "agent": document.agent_id,
        "stream": document.stream_id,
        "now": act.now,
        "api_key": act.api_key_id,
        "digest": act.request.digest,
        "actor_kind": act.actor.kind.value,
        "actor_id": act.actor.id,
        "actor_label": act.actor.label,
        "reasoning": calls.sealed_text(document, reasoning),
        "key": entry.key,
        "expires_at": entry.expires_at,
        "expected": entry.expected,
        "config": config,
        "floor": floor,
        "most": most_keys,
    }
    (row,) = sql.run_prepared(_WRITE, given)
    if row.new_number is None:
        return None
    gate.exempt()
    return Written(
        number=row.new_number,
        first_number=row.new_number,
        is_replay=False,
        ordinals=(row.new_ordinal,),
        event_ids=(sealed["event_id"],),
        created_at=row.new_at,
    )
