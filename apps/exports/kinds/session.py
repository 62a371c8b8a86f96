"""Export a session whole: versions, parts, turns, files, and what proves it.

It is taken out part by part, through the version that it had when the first step came:
an agent that goes on does not keep it from ending.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from apps.exports.kinds import beside, files
from apps.exports.kinds.made import Made
from apps.exports.kinds.taking import TakingSession
from apps.exports.models import Export
from apps.timeline import queries
from apps.timeline.api.effects.shapes import effect_object
from apps.timeline.api.shapes import checkpoint_object
from apps.timeline.api.trajectories import (
    about,
    turn_page,
    version_objects,
    version_rows,
)
from apps.timeline.errors import SessionNotFound
from apps.timeline.models import Session
from apps.timeline.versions import VersionRow, body_parts, fetch_bodies, newest_number

EFFECTS_AT_ONCE = 100
# What of a checkpoint a version says already.
SAID = {
    "object",
    "session_id",
    "version",
    "created_at",
    "trace_id",
    "reasoning",
    "hold",
}
SAID |= {"state"}


def step(export: Export) -> Made:
    """Write the next parts of the session.

    Raises: SessionNotFound where it has gone meanwhile.
    """
    made = Made()
    session = session_of(export.project_id, export.asked["session_id"])
    cursor = export.cursor or beginning(session)
    taking = TakingSession(
        project=export.project,
        session=session,
        through=cursor["through"],
        is_open=bool(export.asked.get("unmasked")),
        made=made,
        now=export.created_at,
    )
    made.cursor = advance(taking, cursor)
    if made.cursor is None:
        taking.add("manifest.json", [beside.manifest(export, made)])
    return made


def session_of(project_id: str, session_id: str) -> Session:
    """Raises: SessionNotFound."""
    mine = Session.objects.of_project(project_id).select_related("agent")
    found = mine.filter(id=session_id).first()
    if found is None:
        raise SessionNotFound
    return found


def beginning(session: Session) -> dict[str, Any]:
    """Return the cursor of a session's first step.

    Raises: SessionNotFound.
    """
    newest = newest_number(session.id)
    if newest is None:
        raise SessionNotFound
    return {"part": next(iter(PARTS)), "after": None, "through": newest}


def advance(taking: TakingSession, cursor: dict[str, Any]) -> dict[str, Any] | None:
    """Write parts until there is enough; return where to go on, None at the end."""
    names = list(PARTS)
    part, after = cursor["part"], cursor["after"]
    while not taking.made.is_full:
        after = PARTS[part](taking, after)
        if after is None:
            at = names.index(part) + 1
            if at == len(names):
                return None
            part = names[at]
    return cursor | {"part": part, "after": after}


def _about(taking: TakingSession, after: Any) -> None:
    taking.add("session.json", [about(taking.session, taking.through)])


def _versions(taking: TakingSession, after: Any) -> int | None:
    session_id, through = taking.session.id, taking.through
    rows, last = version_rows(session_id, after=after, through=through)
    if rows:
        fetch_bodies([one for one in rows if not one.is_emptied])
        objects = version_objects(session_id, rows, through)
        told = [one | _parts(row) for one, row in zip(objects, rows, strict=True)]
        span = f"{rows[0].number:08}-{rows[-1].number:08}"
        taking.add(f"versions/{span}.jsonl", told)
    return last


def _parts(row: VersionRow) -> dict[str, Any]:
    """Return what else a run needs that goes on from a version."""
    if row.is_emptied:
        return {}
    whole = checkpoint_object(row, body_parts(row))
    return {name: value for name, value in whole.items() if name not in SAID}


def _turns(taking: TakingSession, after: Any) -> int | None:
    page = turn_page(taking.session.id, after=after, through=taking.through)
    if page.objects:
        numbers = [one["turn_number"] for one in page.objects]
        span = f"{numbers[0]:08}-{numbers[-1]:08}"
        taking.add(f"turns/{span}.jsonl", page.objects)
    return page.after


def _effects(taking: TakingSession, after: Any) -> str | None:
    found = queries.effects(
        taking.session.id, now=taking.now, before=after, limit=EFFECTS_AT_ONCE
    )
    shown = found[:EFFECTS_AT_ONCE]
    if not shown:
        return None
    told = [effect_object(taking.project, one) for one in shown]
    for one in told:
        del one["provider_key"]
    taking.add(f"effects/{shown[-1].id}.jsonl", told)
    return shown[-1].id if len(found) > len(shown) else None


Part = Callable[[TakingSession, Any], Any]
PARTS: Mapping[str, Part] = {
    "about": _about,
    "versions": _versions,
    "turns": _turns,
    "effects": _effects,
    "comments": beside.comments,
    "kept": beside.kept,
    "memories": beside.memories_of_session,
    "files": files.listed,
    "blobs": files.contents,
    "proof": beside.proof,
}
