"""Makes anew what search reads of a session, from its versions, turns and bodies.

For sessions from before there was a search, and to be sure of it. A session that is
listed as unsearched may be missing from results, and every search says so; it leaves
the list in the transaction that completes it, so the work can stop at any time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from apps.accounts.models import Project
from apps.core import json, sql
from apps.diffs.facets import leaves
from apps.timeline import bodies
from apps.timeline.ledger.facts import index, tasked
from apps.timeline.ledger.facts.carried import CARRIED, carry
from apps.timeline.ledger.facts.index import Terms
from apps.timeline.ledger.facts.tags import SearchTag
from apps.timeline.models import Change, Opening, Session, Turn, Unsearched
from apps.timeline.projection import kept, openings, project_session
from apps.timeline.projection.texts import TextKind, turn_text
from apps.timeline.versions import fetching, reading

# A turn may have 16 MB; a few of them at a time are enough to hide the round trips.
TURNS = 20
VERSIONS = 1_000

_LIST = """
INSERT INTO timeline_unsearched (session_id, project_id)
SELECT s.id, s.project_id FROM timeline_session s
 WHERE s.kind = 'session'
   AND (%(project)s::varchar IS NULL OR s.project_id = %(project)s::varchar)
   AND (%(session)s::varchar IS NULL OR s.id = %(session)s::varchar)
    ON CONFLICT DO NOTHING RETURNING 1
"""
_NOTE = sql.of_session("SELECT timeline_note_text_v2(%s, %s, %s, %s, %s) IS NULL")
_REASONINGS = sql.of_session("""
SELECT v.number, timeline_note_text_v2(
           %(project)s::text, %(session)s, 1, v.number, v.reasoning) IS NULL
  FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.number BETWEEN %(first)s AND %(last)s
""")
_LABELS = sql.of_session("""
SELECT timeline_note_text_v2(%(project)s::text, %(session)s, 3, l.number,
                             string_agg(l.name, E'\\n' ORDER BY l.name)) IS NULL
  FROM timeline_label l WHERE l.session_id = %(session)s
 GROUP BY l.number
""")
_SUMMARIES = sql.of_session("""
SELECT timeline_note_text_v2(
           %(project)s::text, %(session)s, 4, m.ordinal, m.text) IS NULL
  FROM timeline_summary m WHERE m.session_id = %(session)s
""")
_UNLABEL = sql.of_session(
    "DELETE FROM timeline_text WHERE session_id = %s AND kind = %s RETURNING 1"
)
# A trace id that is an event's own was not given by anybody.
_MARKS = sql.of_session(sql.query("timeline", "search_tags"))
_STALE = sql.of_session("""
DELETE FROM timeline_term
 WHERE session_id = %s AND path_key <> ALL (%s::bytea[]) RETURNING 1
""")
_PARTS = sql.of_session(sql.query("timeline", "search_parts"))
_FORGET = tuple(
    map(
        sql.of_session,
        (
            "DELETE FROM timeline_term WHERE session_id = %(session)s RETURNING 1",
            "DELETE FROM timeline_text WHERE session_id = %(session)s RETURNING 1",
            "DELETE FROM timeline_opening WHERE session_id = %(session)s RETURNING 1",
            "DELETE FROM timeline_change"
            " WHERE session_id = %(session)s AND number = 0 AND role = 4 RETURNING 1",
        ),
    )
)
_SET = sql.of_session(
    "SELECT timeline_set_terms_v1(%s, %s::bytea[], %s::bytea[]) IS NULL"
)


def list_again(*, project_id: str | None = None, session_id: str | None = None) -> int:
    """List sessions as unsearched; return how many were not listed before."""
    return len(sql.rows(_LIST, {"project": project_id, "session": session_id}))


def unsearched(*, project_id: str | None, session_id: str | None) -> Iterator[str]:
    """Yield the sessions that are listed, newest first."""
    yield from _paged(Unsearched.objects.all(), "session_id", project_id, session_id)


def sessions(*, project_id: str | None, session_id: str | None) -> Iterator[str]:
    """Yield all sessions, newest first."""
    yield from _paged(Session.objects.all(), "id", project_id, session_id)


def differences(session_id: str) -> list[str] | None:
    """Name what search reads of a session and would be made otherwise today.

    All of it is made anew under the session's lock, compared, and taken back. Nothing
    of a keyed document, which search reads nothing of. None for a session that lost
    something: what follows from the rest is less than what search still reads.

    Raises: bodies.CorruptBody.
    """
    asked = {"session": session_id}
    with transaction.atomic():
        locked = Session.objects.select_for_update(no_key=True)
        session = locked.filter(id=session_id).first()
        if session is None:
            return []
        if session.has_lost:
            return None
        project_session(session_id, now=timezone.now())
        stored = {row[0]: tuple(row[1:]) for row in sql.rows(_PARTS, asked)}
        for statement in _FORGET:
            sql.rows(statement, asked)
        rebuild(session_id)
        made = {row[0]: tuple(row[1:]) for row in sql.rows(_PARTS, asked)}
        transaction.set_rollback(True)
    return [part for part in stored if stored[part] != made[part]]


def rebuild(session_id: str) -> None:
    """Complete what search reads of a session, while it may be written to.

    Texts never change, so they are read before the session is locked; what follows
    from its head is read under the lock. Of a session that lost something, what can
    still be read is added, and nothing taken away.

    Raises: bodies.CorruptBody; the session stays listed.
    """
    session = Session.objects.get(id=session_id)
    project = Project.objects.get(id=session.project_id)
    _note_turns(session)
    # Below, words went with what was thinned; the first one above may have nothing
    # before it that says what was new.
    thinned = session.thinned_below or 0
    kept.keep_stored(project.id, session_id, after=thinned if thinned else -1)
    for first in range(thinned, session.head_number + 1, VERSIONS):
        asked = {"project": project.id, "session": session_id}
        sql.rows(_REASONINGS, asked | {"first": first, "last": first + VERSIONS - 1})
    with transaction.atomic():
        session = Session.objects.select_for_update(no_key=True).get(id=session_id)
        project_session(session_id, now=timezone.now())
        sql.rows(_UNLABEL, [session_id, TextKind.LABEL.value])
        sql.rows(_LABELS, {"project": project.id, "session": session_id})
        sql.rows(_SUMMARIES, {"project": project.id, "session": session_id})
        found = _terms(session, project)
        if not session.has_lost:
            sql.rows(_STALE, [session_id, list(found)])
        sql.rows(_SET, [session_id, list(found), list(found.values())])
        _open_again(session)
        Unsearched.objects.filter(session_id=session_id).delete()


def _paged(
    listed: QuerySet[Any], name: str, project_id: str | None, session_id: str | None
) -> Iterator[str]:
    listed = listed.order_by(f"-{name}")
    if project_id is not None:
        listed = listed.filter(project_id=project_id)
    if session_id is not None:
        listed = listed.filter(**{name: session_id})
    some = listed
    while ids := list(some.values_list(name, flat=True)[:100]):
        yield from ids
        some = listed.filter(**{f"{name}__lt": ids[-1]})


def _note_turns(session: Session) -> None:
    mine = Turn.objects.of_session(session.id)
    after = 0
    while True:
        turns = list(mine.in_order(newest_first=False, after=after)[:TURNS])
        for turn in turns:
            if turn.is_emptied or turn.codec > bodies.SEALED:
                continue
            parts = turn.parts()
            said = turn_text(json.parse(parts["input"]), json.parse(parts["output"]))
            text = "\n".join(one for one in (turn.reasoning, said) if one is not None)
            of_turn = [session.id, TextKind.TURN.value, turn.turn_number]
            sql.rows(_NOTE, [session.project_id, *of_turn, text])
        if len(turns) < TURNS:
            return
        after = turns[-1].turn_number


def _open_again(session: Session) -> None:
    """Make the first words anew; there is nothing of turns that there are not."""
    Opening.objects.filter(session_id=session.id).delete()
    first = range(1, openings.LATEST + 1)
    openings.keep([session.id] * len(first), list(first))


def _terms(session: Session, project: Project) -> Terms:
    key = bytes(project.index_key)
    head = fetching.heads([session.id])[session.id]
    found = index.held(key, None, leaves(reading.parsed(head)))
    if head.schema_version is not None:
        found |= index.shaped(key, head.schema_version)
    found |= tasked.terms(key, None, tasked.written_of(head))
    for row in sql.rows(_MARKS, {"session": session.id}):
        found |= index.named(key, row.name, SearchTag(row.tag))
    if session.origin_session_id is not None:
        found |= index.tagged(key, SearchTag.FORKED)
        if not session.has_lost and _carry(session, project):
            found |= index.tagged(key, SearchTag.TRUNCATED)
    return found


def _carry(session: Session, project: Project) -> bool:
    """Add the values that a fork began with; return whether some had no room."""
    changes = Change.objects.filter(session_id=session.id, number=0)
    own = changes.exclude(role=CARRIED).values_list("path_key", flat=True)
    rows = index.ChangeRows(path_keys=[bytes(path) for path in own])
    count = len(rows.path_keys)
    (first,) = fetching.versions_at(session.id, [0])
    truncated = carry(rows, reading.parsed(first), project)
    columns: Any = zip(rows.path_keys[count:], rows.kinds, rows.value_keys, strict=True)
    Change.objects.bulk_create(
        [
            Change(
                session_id=session.id,
                path_key=path,
                number=0,
                role=CARRIED,
                kind=kind,
                value_key=value,
            )
            for path, kind, value in columns
        ],
        ignore_conflicts=True,
    )
    return truncated
