"""The page of a conversation: which source it is read from, and the links to the rest.

A session's turns are its conversation, unless its head keeps a list of messages that is
at least as long. Which of the two it is, and what is missing, the page says; an address
may name either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from apps.agents.scope import Scope
from apps.console import queries
from apps.console.pages.session import gaps
from apps.console.pages.session.conversation import entries, folds, windows
from apps.console.pages.session.conversation.entries import Entry
from apps.console.pages.session.conversation.tool_calls import Card
from apps.console.pages.session.conversation.windows import Asked
from apps.console.pages.session.effects import effect_rows
from apps.console.pages.session.session_page import Place
from apps.core.admission import gate
from apps.core.errors import MalformedJson, NotFound
from apps.timeline.errors import TurnNotFound, VersionNotFound
from apps.timeline.models import Turn
from apps.timeline.queries import (
    BegunCall,
    KeptMessage,
    MessagePlace,
    are_messages,
    begun_calls,
    kept_messages,
)
from apps.timeline.versions import CorruptBody, head_kept

TURNS, MESSAGES = "turns", "messages"
# Where one message is shown whole, the answers to its calls are looked for among these.
FOLLOWING = 50


def shown(place: Place, source: str, asked: Asked) -> dict[str, Any]:
    """Return the context of a page; without a source, of the one that holds more.

    Raises: VersionNotFound, Busy.
    """
    session = place.session
    if asked.version is not None and asked.version > session.head_number:
        raise VersionNotFound(f"This session has no version {asked.version}.")
    source = source or _source(place)
    is_turns = source == TURNS
    window = (windows.of_turns if is_turns else windows.of_messages)(place, asked)
    last = session.turn_count if is_turns else session.head_number
    found = _declared(place, _with_places(window.entries, asked.version))
    found = [replace(entry, link=_link(source, entry)) for entry in found]
    return {
        "source": source,
        "entries": found,
        "passages": folds.grouped(place, found) if is_turns else folds.unfolded(found),
        "version_here": asked.version,
        "is_exact": any(one.is_here and one.number == asked.version for one in found),
        "read": window.read,
        "unreadable": window.unreadable,
        "lost": gaps.gaps(session, with_emptied=True),
        "oldest": window.earlier and _query(source),
        "earlier": window.earlier and _query(source, before=window.earlier),
        "later": window.later and _query(source, after=window.later),
        "newest": window.later and _query(source, before=MessagePlace(last + 1, 0)),
    }


def whole(place: Place, source: str, wanted: MessagePlace) -> dict[str, Any]:
    """Return the context of a page with one entry, as long as it is.

    Raises: TurnNotFound, VersionNotFound, NotFound, Busy.
    """
    find = _whole_message if source == MESSAGES else _whole_turn
    source = source or TURNS
    (entry,) = _declared(place, [find(place, wanted)])
    entry = replace(entry, link=_link(source, entry))
    passages = folds.unfolded([entry])
    return {
        "source": source,
        "entries": [entry],
        "passages": passages,
        "is_whole": True,
    }


def _source(place: Place) -> str:
    """Return where more of the conversation is kept."""
    scope = Scope(place.membership.project)
    try:
        head = head_kept(scope, place.session.id, None, now=place.now)
        kept = kept_messages(head)
    except (CorruptBody, MalformedJson):
        return TURNS
    is_more = are_messages(kept) and len(kept) >= place.session.turn_count
    return MESSAGES if is_more else TURNS


def _whole_turn(place: Place, wanted: MessagePlace) -> Entry:
    found = Turn.objects.of_session(place.session.id)
    turn = found.filter(turn_number=wanted.number).first()
    if turn is None:
        raise TurnNotFound
    gate.enter(turn.size)
    said = entries.of_turn(turn, place.live, whole=True)
    return next((one for one in said if one.place == wanted), said[0])


def _whole_message(place: Place, wanted: MessagePlace) -> Entry:
    version, _ = queries.version(place.session, wanted.number)
    try:
        held = kept_messages(version)[wanted.item : wanted.item + FOLLOWING]
    except (CorruptBody, MalformedJson):
        held = []
    if not held:
        raise NotFound(f"v{wanted.number} holds no such message, or does not read.")
    kept = [
        KeptMessage(
            place=MessagePlace(wanted.number, index), version=version, message=message
        )
        for index, message in enumerate(held, wanted.item)
    ]
    return entries.of_messages(kept, place.live, whole=True)[0]


def _declared(place: Place, found: Sequence[Entry]) -> list[Entry]:
    """Say of each call that was begun as an effect what is known of that."""
    ids = {card.id for one in found for card in one.cards if card.id}
    begun = begun_calls(place.session.id, sorted(ids)) if ids else {}
    if not begun:
        return list(found)
    return [
        replace(one, cards=[_marked(card, begun.get(card.id)) for card in one.cards])
        for one in found
    ]


def _marked(card: Card, begun: BegunCall | None) -> Card:
    if begun is None:
        return card
    words = effect_rows.CLASSES[begun.effect_class]
    return replace(card, class_words=words, is_reused=begun.is_reused)


def _with_places(found: Sequence[Entry], version: int | None) -> list[Entry]:
    """Mark the first entry of each version and day, and the one at which a version is.

    A version that brought none is at the last one before it.
    """
    here = None
    if version is not None and found:
        exact = [at for at, one in enumerate(found) if one.number == version]
        before = [at for at, one in enumerate(found) if one.number < version]
        here = (exact[:1] or before[-1:] or [0])[0]
    marked = []
    for at, (entry, previous) in enumerate(zip(found, [None, *found], strict=False)):
        is_first = previous is None or entry.number != previous.number
        places = [entry.number] if is_first else []
        if at == here and version is not None and entry.number != version:
            places.append(version)
        begins_day = previous is None or entry.at.date() != previous.at.date()
        marked.append(
            replace(entry, places_of=places, is_here=at == here, begins_day=begins_day)
        )
    return marked


def _link(source: str, entry: Entry) -> str:
    """Return the query and anchor that lead to an entry, however much it stands among.

    A version may bring more messages than a page has, so its number is not enough.
    """
    number, item = entry.place
    if source == TURNS:
        after = MessagePlace(max(0, number - 1 - windows.ABOVE), 0)
    elif item:
        after = MessagePlace(number, item - 1)
    else:
        after = MessagePlace(number - 1, windows.LAST_INDEX)
    places = {"after": after} if after.number >= 0 else {}
    return f"{_query(source, **places)}#{entry.anchor}"


def _query(source: str, **places: MessagePlace) -> str:
    given = {name: "{}.{}".format(*place) for name, place in places.items()}
    return "?" + urlencode({"source": source, **given})
