"""Tell one session as a line of trajectories, or say why it cannot be told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from apps.core import json
from apps.core.json import Json
from apps.core.time.moments import utc_text
from apps.exports.telling.chat import (
    Message,
    Untold,
    line,
    messages_of,
    messages_of_turns,
)
from apps.exports.telling.masking import masked
from apps.timeline.models import Session, Turn
from apps.timeline.queries import CorruptBody, kept_messages
from apps.timeline.versions import VersionRow, live_ranges, set_aside_by, versions_of

MOST_TURNS = 2_000
MOST_BYTES = 8 * 1024 * 1024


def told(session: Session, asked: dict[str, Any]) -> bytes | None:
    """Return the session's line; None where a filter leaves it out.

    Raises: Untold.
    """
    found = versions_of(session.id, newest_first=True, after=None, limit=1)
    if not found:
        raise Untold("contents_erased")
    head = found[0]
    if not _is_meant(head, asked):
        return None
    is_open = bool(asked.get("unmasked"))
    try:
        messages = _messages(session, head, is_open=is_open)
    except CorruptBody:
        raise Untold("damaged") from None
    about = _about(session, head)
    # Names are callers' own words, too.
    written = line(
        messages, about if is_open else {n: masked(v) for n, v in about.items()}
    )
    if len(written) > MOST_BYTES:
        raise Untold("too_long")
    return written


def _is_meant(head: VersionRow, asked: dict[str, Any]) -> bool:
    return all(
        asked.get(name) in (None, value)
        for name, value in (("release", head.release), ("model", head.model))
    )


def _messages(session: Session, head: VersionRow, *, is_open: bool) -> list[Message]:
    """Return what was said: in turns, else as the state at the head keeps it."""
    turns = _live_turns(session, head)
    if turns:
        said = [_said(one) for one in turns]
        if not is_open:
            said = [(masked(asked), masked(given)) for asked, given in said]
        return messages_of_turns(said)
    if head.is_emptied:
        raise Untold("contents_erased")
    if head.body_size > MOST_BYTES:
        raise Untold("too_long")
    kept = kept_messages(head)
    return messages_of(kept if is_open else map(masked, kept))


def _live_turns(session: Session, head: VersionRow) -> Sequence[Turn]:
    """Return the turns on live versions, oldest first.

    Raises: Untold where one of them lost what it said, or there are too many.
    """
    there = Turn.objects.of_session(session.id).filter(head_number__lte=head.number)
    looked = list(
        there.in_order(newest_first=False, after=None).defer("data")[: MOST_TURNS + 1]
    )
    if len(looked) > MOST_TURNS or sum(one.size for one in looked) > MOST_BYTES:
        raise Untold("too_long")
    if looked and head.erasures:
        # Of a session that has lost something nobody can say that no turn is missing.
        raise Untold("contents_erased")
    ranges = live_ranges(session.id, head.number)
    live = [
        one.turn_number
        for one in looked
        if set_aside_by(ranges, one.head_number) is None
    ]
    if not live:
        return ()
    return list(
        there.filter(turn_number__in=live).in_order(newest_first=False, after=None)
    )


def _said(turn: Turn) -> tuple[Json, Json]:
    parts = turn.parts()
    return json.parse_written(parts["input"]), json.parse_written(parts["output"])


def _about(session: Session, head: VersionRow) -> dict[str, Json]:
    return {
        "session_id": session.id,
        "agent": session.agent.external_id,
        "version": head.number,
        "release": head.release,
        "model": head.model,
        "outcome": session.review,
        "rollbacks": session.rollback_count,
        "created_at": utc_text(session.created_at),
    }
