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
from apps.exports.telling.spending import Spent, spent
from apps.timeline.models import Label, Session, Turn
from apps.timeline.queries import CorruptBody, kept_messages
from apps.timeline.versions import VersionRow, live_ranges, set_aside_by, versions_of

MOST_TURNS = 2_000
# Of one name, on the newest versions.
MOST_LABELS = 1_000
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
        turns = _live_turns(session, head)
        spending = spent(map(_reported, turns))
        if not _is_cheap(spending, asked):
            return None
        messages = _messages(turns, head, is_open=is_open)
    except CorruptBody:
        raise Untold("damaged") from None
    about = _about(session, head, spending)
    # Names are callers' own words, too.
    written = line(
        messages, about if is_open else {n: masked(v) for n, v in about.items()}
    )
    if len(written) > MOST_BYTES:
        raise Untold("too_long")
    return written


def _is_meant(head: VersionRow, asked: dict[str, Any]) -> bool:
    facts = (("release", head.release), ("model", head.model))
    if not all(asked.get(name) in (None, value) for name, value in facts):
        return False
    label = asked.get("label")
    return label is None or _is_labelled(head, label)


def _is_labelled(head: VersionRow, name: str) -> bool:
    """Whether a live version has this label."""
    labels = Label.objects.of_session(head.session_id)
    numbers = labels.numbers_named(name, most=MOST_LABELS)
    live = [one for one in numbers if one <= head.number]
    if not live:
        return False
    ranges = live_ranges(head.session_id, head.number)
    return any(set_aside_by(ranges, one) is None for one in live)


def _is_cheap(spending: Spent, asked: dict[str, Any]) -> bool:
    """Whether it came to at most so much; one that says nothing of it is not known.

    Raises: Untold.
    """
    for name, found in (("tokens", spending.tokens), ("cost", spending.cost)):
        most = asked.get(f"most_{name}")
        if most is None:
            continue
        if found is None:
            raise Untold(f"{name}_not_reported")
        if found > most:
            return False
    return True


def _messages(
    turns: Sequence[Turn], head: VersionRow, *, is_open: bool
) -> list[Message]:
    """Return what was said: in turns, else as the state at the head keeps it."""
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


def _metadata(turn: Turn) -> Json:
    said = turn.parts().get("metadata")
    return None if said is None else json.parse_written(said)


def _reported(turn: Turn) -> Json:
    """Return what a turn said it used; without that, what its metadata says."""
    usage = turn.usage or {}
    if usage.keys() <= {"tool_call"}:
        return _metadata(turn)
    cost = usage.get("cost")
    return {**usage, "cost": None if cost is None else float(cost)}


def _about(session: Session, head: VersionRow, spending: Spent) -> dict[str, Json]:
    return {
        "session_id": session.id,
        "agent": session.agent.external_id,
        "version": head.number,
        "release": head.release,
        "model": head.model,
        "outcome": session.review,
        "rollbacks": session.rollback_count,
        "tokens": spending.tokens,
        "cost": spending.cost,
        "created_at": utc_text(session.created_at),
    }
