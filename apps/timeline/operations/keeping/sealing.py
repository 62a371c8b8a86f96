"""Seal what an encrypting project had stored in clear, session by session.

What is stored is sealed as it is: nothing is decoded, so commitments, deltas and chains
stay. Each step is a transaction under the session's lock; whoever is killed has sealed
whole steps, and the next pass goes on. Done by who may change rows of history.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import Error, transaction
from django.utils import timezone

from apps.accounts.models import DataKey, Project
from apps.core import json, sql
from apps.core.keyring import KeysUnavailable
from apps.timeline.bodies import SEALED, SEALED_TEXT, Sealer, Spans
from apps.timeline.hooks.keeping import allowed
from apps.timeline.ledger.encoding.writes import sealer
from apps.timeline.models import Opening, Pending, Session, Text
from apps.timeline.operations.keeping import archiving
from apps.timeline.operations.keeping.locking import locked
from apps.timeline.projection.texts import TextKind

# Rows of one step, and bytes: writers of the session wait for so long.
MOST = 500
MOST_BYTES = 16 * 1024 * 1024
SESSIONS = 100
# Until then a process may know a project as it was, and write in clear.
KNOWN_FOR = timedelta(hours=1)
AGAIN_AFTER = timedelta(minutes=15)
_SAID = (TextKind.REASONING, TextKind.TURN, TextKind.MESSAGES)

log = structlog.get_logger("stepback.sealing")

_IN_CLEAR = f"(t.reasoning <> '' AND NOT starts_with(t.reasoning, '{SEALED_TEXT}')\
 AND btrim(t.reasoning, E' \\t\\n\\r\\x0b\\x0c') <> '')"
_BODIES = sql.of_session(f"""
SELECT b.number, b.codec, b.data, b.salt
  FROM (SELECT t.number, t.codec, t.data, t.salt,
               sum(octet_length(t.data)) OVER (ORDER BY t.number)
               - octet_length(t.data) AS before
          FROM timeline_body t
         WHERE t.session_id = %(session)s AND t.codec > 0 AND t.codec & {SEALED} = 0
         ORDER BY t.number LIMIT {MOST}) b
 WHERE b.before < {MOST_BYTES} ORDER BY b.number
""")  # noqa: S608
_TURNS = sql.of_session(f"""
SELECT u.turn_number, u.codec, u.data, u.salt, u.reasoning
  FROM (SELECT t.turn_number, t.codec, t.data, t.salt, t.reasoning,
               sum(octet_length(t.data)) OVER (ORDER BY t.turn_number)
               - octet_length(t.data) AS before
          FROM timeline_turn t
         WHERE t.session_id = %(session)s AND t.codec BETWEEN 1 AND {SEALED}
         ORDER BY t.turn_number LIMIT {MOST}) u
 WHERE u.before < {MOST_BYTES} ORDER BY u.turn_number
""")  # noqa: S608
_VERSIONS = sql.of_session(f"""
SELECT t.number, t.reasoning, t.changes FROM timeline_version t
 WHERE t.session_id = %(session)s
   AND ({_IN_CLEAR} OR t.changes <> '[]' AND NOT t.changes @? '$[0].sealed')
 ORDER BY t.number LIMIT {MOST}
""")  # noqa: S608
_NEXT = sql.across(f"""
SELECT s.id FROM timeline_session s
 WHERE s.project_id = %(project)s AND s.id > %(after)s ORDER BY s.id LIMIT {SESSIONS}
""")  # noqa: S608
_SEAL_BODIES = sql.of_session("""
UPDATE timeline_body b SET codec = u.codec, data = u.data
  FROM unnest(%(numbers)s::bigint[], %(codecs)s::smallint[], %(data)s::bytea[])
    AS u (number, codec, data)
 WHERE b.session_id = %(session)s AND b.number = u.number RETURNING 1
""")
_SEAL_TURNS = sql.of_session("""
UPDATE timeline_turn t SET codec = u.codec, data = u.data, reasoning = u.reasoning
  FROM unnest(%(numbers)s::bigint[], %(codecs)s::smallint[], %(data)s::bytea[],
              %(reasonings)s::text[]) AS u (number, codec, data, reasoning)
 WHERE t.session_id = %(session)s AND t.turn_number = u.number RETURNING 1
""")
_SEAL_VERSIONS = sql.of_session("""
UPDATE timeline_version v SET reasoning = u.reasoning, changes = u.changes::jsonb
  FROM unnest(%(numbers)s::bigint[], %(reasonings)s::text[], %(changes)s::text[])
    AS u (number, reasoning, changes)
 WHERE v.session_id = %(session)s AND v.number = u.number RETURNING 1
""")


@dataclass(frozen=True, kw_only=True, slots=True)
class Sealing:
    """What one step sealed or took away, and whether there is more."""

    rows: int
    has_more: bool


@transaction.atomic
def seal_session(*, project: Project, session_id: str) -> Sealing:
    """Seal some of what a session has in clear; the last step takes its words away.

    Run by the retention role. What waits to be projected is left for the next pass.

    Raises: KeysUnavailable.
    """
    session = locked(session_id, with_documents=True)
    if session is None:
        return Sealing(rows=0, has_more=False)
    seals = sealer(project, session.id, session.user_id, is_beginning=True)
    if seals is None:
        return Sealing(rows=0, has_more=False)
    with allowed():
        done = _bodies(seals) + _turns(seals) + _versions(seals)
    if done:
        return Sealing(rows=done, has_more=True)
    if Pending.objects.filter(session_id=session.id).exists():
        # Its words come with it: there is something left, and not for now.
        return Sealing(rows=1, has_more=False)
    return Sealing(rows=_derived(session), has_more=False)


def seal_older(now: datetime, is_stopping: Callable[[], bool]) -> int:
    """Go on sealing what encrypting projects have in clear; it takes several passes.

    Nothing is counted as over: whoever counts, counts erasures.
    """
    for key in DataKey.objects.filter(swept_at=None).order_by("project_id", "number"):
        try:
            _pass(key, now, is_stopping)
        except KeysUnavailable as error:
            log.warning("sealing waits for keys", why=error.message)
        if is_stopping():
            break
    return 0


def _pass(key: DataKey, now: datetime, is_stopping: Callable[[], bool]) -> None:
    sweep: dict[str, Any] = dict(key.sweep)
    if "next" in sweep and now < datetime.fromisoformat(sweep["next"]):
        return
    if "began" not in sweep:
        sweep = {"began": now.isoformat(), "after": "", "left": 0}
    project = Project.objects.get(id=key.project_id)
    asked = {"project": key.project_id}
    while some := sql.rows(_NEXT, asked | {"after": sweep["after"]}):
        for row in some:
            if is_stopping():
                _keep(key, sweep)
                return
            sweep["left"] += _whole(project, row.id)
            sweep["after"] = row.id
        _keep(key, sweep)
    began = datetime.fromisoformat(sweep["began"])
    if not sweep["left"] and began >= key.made_at + KNOWN_FOR:
        key.swept_at = timezone.now()
        key.save(update_fields=["swept_at"])
    else:
        _keep(key, {"next": (now + AGAIN_AFTER).isoformat()})


def _whole(project: Project, session_id: str) -> int:
    """Seal a session whole; return how much there was, at least 1 where it failed."""
    rows, has_more = 0, True
    try:
        while has_more:
            step = seal_session(project=project, session_id=session_id)
            rows, has_more = rows + step.rows, step.has_more
    except (Error, KeysUnavailable):
        raise
    except Exception:
        # It is looked at again by the next pass, and stops nobody else.
        log.exception("a session cannot be sealed", session_id=session_id)
        return rows + 1
    return rows


def _keep(key: DataKey, sweep: dict[str, Any]) -> None:
    key.sweep = sweep
    key.save(update_fields=["sweep"])


def _bodies(seals: Sealer) -> int:
    """Seal bodies; those in archives come back for it, and are archived again later."""
    rows = sql.rows(_BODIES, {"session": seals.session_id})
    if not rows:
        return 0
    spans = Spans()
    clear = [spans.brought(row.codec, row.data, seals.session_id) for row in rows]
    numbers = [row.number for row in rows]
    archiving.delete_unnamed(
        seals.session_id, archiving.objects_of(seals.session_id, numbers)
    )
    asked = {
        "session": seals.session_id,
        "numbers": numbers,
        "codecs": [codec + SEALED for codec, _ in clear],
        "data": [
            seals.sealed(bytes(data), bytes(row.salt))
            for row, (_, data) in zip(rows, clear, strict=True)
        ],
    }
    return len(sql.rows(_SEAL_BODIES, asked))


def _turns(seals: Sealer) -> int:
    rows = sql.rows(_TURNS, {"session": seals.session_id})
    if not rows:
        return 0
    asked = {
        "session": seals.session_id,
        "numbers": [row.turn_number for row in rows],
        "codecs": [row.codec + SEALED for row in rows],
        "data": [seals.sealed(bytes(row.data), bytes(row.salt or b"")) for row in rows],
        "reasonings": [_text(seals, row.reasoning) for row in rows],
    }
    return len(sql.rows(_SEAL_TURNS, asked))


def _versions(seals: Sealer) -> int:
    rows = sql.rows(_VERSIONS, {"session": seals.session_id})
    if not rows:
        return 0
    asked = {
        "session": seals.session_id,
        "numbers": [row.number for row in rows],
        "reasonings": [_text(seals, row.reasoning) for row in rows],
        "changes": [_changes(seals, row.changes) for row in rows],
    }
    return len(sql.rows(_SEAL_VERSIONS, asked))


def _text(seals: Sealer, text: str | None) -> str | None:
    if text is not None and text.startswith(SEALED_TEXT):
        return text
    return seals.text(text)


def _changes(seals: Sealer, changes: list[dict[str, Any]]) -> str:
    is_sealed = bool(changes) and "sealed" in changes[0]
    return json.dumps(changes if is_sealed else seals.changes(changes)).decode()


def _derived(session: Session) -> int:
    """Take away what is derived of it and stands in clear."""
    said = Text.objects.filter(session_id=session.id, kind__in=_SAID)
    words, _ = said.delete()
    titles, _ = Opening.objects.filter(session_id=session.id).delete()
    held = 0
    if session.facets:
        session.facets = {}
        session.save(update_fields=["facets"])
        held = 1
    return words + titles + held
