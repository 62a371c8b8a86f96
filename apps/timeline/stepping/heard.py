"""What customers said and agents called in a turn, or in a message that was kept."""

from __future__ import annotations

from datetime import datetime

from apps.core import json
from apps.core.errors import Busy, DomainError
from apps.core.json import Json
from apps.diffs.text import one_line
from apps.timeline.models import Session
from apps.timeline.queries import (
    Call,
    ListedTurn,
    calls_in_turn,
    kept_messages,
    turns_on,
)
from apps.timeline.stepping.speakers import (
    Speaker,
    content_said,
    kind_of,
)
from apps.timeline.versions import CorruptBody, versions_at

SAID = 300
# Among so many messages before a window the last of a customer is looked for.
LAST_MESSAGES = 50
Heard = tuple[str | None, list[Call]]


def heard(turn: ListedTurn) -> Heard:
    """Return what a customer said in a turn, and its calls; nothing if damaged.

    Raises: Busy, where its key cannot be had now.
    """
    try:
        parts = turn.parts()
        asked = json.parse(parts["input"])
        return customers(asked, Speaker.CUSTOMER), calls_in_turn(parts)
    except Busy:
        raise
    except (CorruptBody, DomainError, KeyError, AttributeError, ValueError):
        return None, []


def customers(message: Json, default: Speaker) -> str | None:
    """Return what a customer says in a message, shortened to a few lines' worth."""
    if kind_of(message, default) != Speaker.CUSTOMER:
        return None
    said = content_said(message)
    if said is None:
        return None
    text = said if isinstance(said, str) else json.dumps(said).decode()
    return one_line(text, SAID) or None


def said_on(
    session: Session, number: int, parted_at: datetime | None
) -> tuple[str | None, list[Heard]]:
    """Return what a customer said last, up to a version, where that tells of it.

    And what turns tell that came to it later, when another had gone its own way.
    """
    if session.turn_count:
        turns, is_all = turns_on(session.id, [number])
        late = [
            one for one in turns if parted_at is not None and one.created_at > parted_at
        ]
        texts = [heard(turn)[0] for turn in turns if turn not in late]
        said = next((one for one in reversed(texts) if one is not None), None)
        return said if is_all else None, [heard(turn) for turn in late]
    versions = versions_at(session.id, [number])
    try:
        kept = kept_messages(versions[0]) if versions else []
    except Busy:
        raise
    except (CorruptBody, DomainError):
        return None, []
    texts = [customers(one, Speaker.OTHER) for one in kept[-LAST_MESSAGES:]]
    return next((one for one in reversed(texts) if one is not None), None), []
