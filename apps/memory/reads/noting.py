"""Note which memories the context of a session was given.

That route only reads, and has to stay cheap: one call of a function, whose transaction
waits for no disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

from apps.agents.acts import Act
from apps.core import sql
from apps.core.ids import new_id
from apps.memory.documents.storing import Kept

# So many different reads of one version are noted, each once.
MOST_OF_VERSION = 100
_NOTE = sql.PreparedQuery("""
SELECT memory_note_read_v1(
    %(session)s::varchar, %(id)s::varchar, %(project)s::varchar, %(version)s::bigint,
    %(digest)s::bytea, %(memories)s::varchar[], %(ordinals)s::bigint[],
    %(scores)s::double precision[], %(actor_kind)s::text, %(actor_id)s::text,
    %(actor_label)s::text, %(now)s::timestamptz, %(most)s::integer) AS is_new
""")

Given = Sequence[tuple[Kept, float | None]]


def note_read(*, act: Act, session_id: str, version: int, given: Given) -> bool:
    """Note what a context was given, and say whether it was new at this version.

    A crash can lose the newest notes. Call it outside a transaction: one that it were
    in would not wait for the disk either.
    """
    if not given:
        return False
    (noted,) = sql.run_prepared(
        _NOTE,
        {
            "session": session_id,
            "id": new_id("read", now=act.now),
            "project": act.project_id,
            "version": version,
            "digest": _digest(given),
            "memories": sql.text_array(kept.content.id for kept, _ in given),
            "ordinals": [kept.ordinal for kept, _ in given],
            "scores": _array(score for _, score in given),
            "actor_kind": act.actor.kind.value,
            "actor_id": act.actor.id,
            "actor_label": act.actor.label,
            "now": act.now,
            "most": MOST_OF_VERSION,
        },
    )
    return bool(noted.is_new)


def _digest(given: Given) -> bytes:
    said = " ".join(f"{kept.content.id}:{kept.ordinal}" for kept, _ in given)
    return sha256(said.encode()).digest()[:16]


def _array(scores: Iterable[float | None]) -> str:
    said = ("NULL" if one is None else repr(one) for one in scores)
    return "{" + ",".join(said) + "}"
