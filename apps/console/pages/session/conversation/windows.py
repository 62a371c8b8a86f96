"""A window of a conversation: as many successive entries as fit on a page.

Bounded by what is read (see `timeline.queries.conversation`) and by what it takes as
HTML. Where there is more, a window knows the places at which the next ones begin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from apps.console.pages.session.conversation import entries
from apps.console.pages.session.conversation.entries import Entry
from apps.console.pages.session.session_page import Place
from apps.timeline.queries import (
    MessagePlace,
    MessageWindow,
    TurnWindow,
    first_turn_since,
    message_window,
    turn_window,
)

# Of everything the agent said on one page, as HTML.
MOST_CHARACTERS = 60_000
# So many turns, or versions, are above the one that a link leads to.
ABOVE = 3
# Behind every message of a version.
LAST_INDEX = 999_999_999


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """Where a window begins or ends; with none of these it begins at the beginning."""

    after: MessagePlace | None = None
    before: MessagePlace | None = None
    version: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """The entries of a page; the places before and behind it, where there is more."""

    entries: list[Entry]
    earlier: MessagePlace | None
    later: MessagePlace | None
    # Of messages: which versions were read for them, and which of them do not read.
    read: tuple[int, int] | None = None
    unreadable: Sequence[int] = ()


def of_turns(place: Place, asked: Asked) -> Window:
    """Return a window of what turns report."""
    session = place.session
    found = _turns(session.id, session.turn_count, asked)
    groups = [entries.of_turn(turn, place.live) for turn in found.turns]
    lengths = [sum(entry.length for entry in group) for group in groups]
    fits = _fitting(lengths, at_end=asked.before is not None)
    some = found.turns[fits]
    if not some:
        # Behind the last turn.
        last = MessagePlace(session.turn_count + 1, 0)
        return Window(entries=[], earlier=last if asked.after else None, later=None)
    has_earlier = found.has_earlier or fits.start > 0
    has_later = some[-1].turn_number < session.turn_count
    return Window(
        entries=[entry for group in groups[fits] for entry in group],
        earlier=MessagePlace(some[0].turn_number, 0) if has_earlier else None,
        later=MessagePlace(some[-1].turn_number, 0) if has_later else None,
    )


def of_messages(place: Place, asked: Asked) -> Window:
    """Return a window of the messages that versions brought."""
    session = place.session
    after = asked.after
    if asked.version is not None and asked.version > ABOVE:
        after = MessagePlace(asked.version - 1 - ABOVE, LAST_INDEX)
    found = message_window(session.id, after=after, before=asked.before)
    # Each by itself: an answer may find its call only among those that fit.
    lengths = [
        entries.of_messages([one], place.live)[0].length for one in found.messages
    ]
    fits = _fitting(lengths, at_end=asked.before is not None)
    some = found.messages[fits]
    has_earlier = found.has_earlier or fits.start > 0
    has_later = found.has_later or fits.stop < len(lengths)
    if asked.before is not None:
        has_later = asked.before.number <= session.head_number
    first, last = _ends(found) if not some else (some[0].place, some[-1].place)
    return Window(
        entries=entries.of_messages(some, place.live),
        earlier=first if has_earlier else None,
        later=last if has_later else None,
        read=(found.first, found.last),
        unreadable=found.unreadable,
    )


def _turns(session_id: str, count: int, asked: Asked) -> TurnWindow:
    if asked.before is not None:
        return turn_window(session_id, before=asked.before.number)
    if asked.version is None:
        return turn_window(session_id, after=asked.after and asked.after.number)
    first = first_turn_since(session_id, asked.version)
    if first is None:
        return turn_window(session_id, before=count + 1)
    return turn_window(session_id, after=max(0, first - 1 - ABOVE))


def _ends(found: MessageWindow) -> tuple[MessagePlace, MessagePlace]:
    """Return the places before and behind the versions that brought nothing."""
    return MessagePlace(found.first, 0), MessagePlace(found.last, LAST_INDEX)


def _fitting(lengths: Sequence[int], *, at_end: bool) -> slice:
    """Return which of successive lengths fit, from one end on; one always does."""
    total = 0
    for index, length in enumerate(reversed(lengths) if at_end else lengths):
        total += length
        if index and total > MOST_CHARACTERS:
            n = len(lengths)
            return slice(n - index, n) if at_end else slice(0, index)
    return slice(0, len(lengths))
