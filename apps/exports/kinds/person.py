"""Export all that is kept of a person: sessions with what stands beside them, memories.

It is what an erasure of the person takes, but for what may tell of others: forks of the
sessions that are somebody else's are counted and left out.
"""

from __future__ import annotations

from typing import Any

from apps.exports.kinds import beside
from apps.exports.kinds import session as sessions
from apps.exports.kinds.made import Made
from apps.exports.kinds.taking import Taking, TakingSession
from apps.exports.models import Export
from apps.timeline.errors import SessionNotFound
from apps.timeline.hooks.keeping import ERASED_PEOPLE
from apps.timeline.models import Session

# Of what apps keep of people: rows that are found by sessions, and no others'.
PRECISE = ("audit",)
FORKS = "forks_of_others"
GONE = "sessions_gone"
AT_ONCE = 500


def step(export: Export) -> Made:
    """Write the next of what is kept of the person."""
    made = Made()
    cursor = export.cursor
    session_id = cursor.get("session") or _next(export, cursor.get("done"))
    if session_id is not None:
        made.cursor = _advance(export, made, session_id, cursor.get("inner"))
        return made
    taking = _taking(export, made)
    beside.memories(taking, "user", export.asked["user_id"])
    _leavings(export, taking)
    taking.add("manifest.json", [beside.manifest(export, made)])
    return made


def _taking(export: Export, made: Made) -> Taking:
    return Taking(
        project=export.project,
        is_open=bool(export.asked.get("unmasked")),
        made=made,
        now=export.created_at,
    )


def _next(export: Export, after: str | None) -> str | None:
    """Return the person's next session, in the order in which they began."""
    return next(iter(_ids(export, after, 1)), None)


def _ids(export: Export, after: str | None, limit: int) -> list[str]:
    mine = Session.objects.of_project(export.project_id)
    mine = mine.by(user=export.asked["user_id"])
    mine = mine.filter(created_at__lte=export.created_at)
    following = mine.filter(id__gt=after) if after else mine
    return list(following.order_by("id").values_list("id", flat=True)[:limit])


def _forks_of_others(export: Export, session_id: str) -> int:
    """Return how many there are; so many at most."""
    forks = Session.objects.of_project(export.project_id).by(origin=session_id)
    others = forks.exclude(user_id=export.asked["user_id"]).values_list("id", flat=True)
    return len(others[:AT_ONCE])


def _advance(
    export: Export, made: Made, session_id: str, inner: dict[str, Any] | None
) -> dict[str, Any]:
    """Write more of one session; return where to go on: in it, or behind it."""
    done = {"done": session_id}
    try:
        session = sessions.session_of(export.project_id, session_id)
        cursor = inner or sessions.beginning(session)
    except SessionNotFound:
        # A policy may take it at any moment.
        made.left_out[GONE] += 1
        return done
    taking = TakingSession(
        project=export.project,
        session=session,
        through=cursor["through"],
        is_open=bool(export.asked.get("unmasked")),
        made=made,
        now=export.created_at,
        folder=f"sessions/{session_id}/",
        is_whole=True,
    )
    if inner is None and (others := _forks_of_others(export, session_id)):
        made.left_out[FORKS] += others
    following = sessions.advance(taking, cursor)
    if following is None:
        return done
    return {"session": session_id, "inner": following}


def _leavings(export: Export, taking: Taking) -> None:
    """Write what apps keep of the person, or of the sessions together."""
    rows = [one for app in PRECISE for one in ERASED_PEOPLE[app]]
    place, after = 0, None
    while ids := _ids(export, after, AT_ONCE):
        taking.folder = f"person/{place:06}/"
        asked = {
            "project": export.project_id,
            "user": export.asked["user_id"],
            "sessions": ids,
        }
        beside.add_leavings(taking, rows, asked)
        place, after = place + 1, ids[-1]
    taking.folder = ""
