"""The text of a turn or of messages, by whose words it is found. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum

from apps.core import json
from apps.core.json import Json

# What is said beyond this is not found by its words; `timeline_words_v1` says so.
MOST_TEXT = 32_768


class TextKind(IntEnum):
    """Where words stand; `number` is the version's, for a turn its own.

    For a summary its ordinal.
    """

    REASONING = 1
    TURN = 2
    LABEL = 3
    SUMMARY = 4
    MESSAGES = 5


# A conversation that was rewritten, not continued, is compared as a whole: up to here.
MOST_REWRITTEN = 1024 * 1024
# Instructions are the same in all sessions of an agent, and would find every one.
_INSTRUCTING = frozenset({"system", "developer"})
_ANSWERS = "tool"
# What a message says of itself: who speaks, not what.
_NAMING = frozenset({"role", "type"})


def turn_text(*said: Json) -> str:
    """Join the texts in what was said, one character more than is looked into.

    Keys are not said; the type of a message neither, but nobody can tell them apart
    from other texts.
    """
    return _joined(texts(list(said)))


def messages_text(before: bytes, after: bytes) -> str:
    """Join the texts of the messages that a version brings, as `turn_text` does.

    Given are the lists that it and the version before it keep, as they are written.
    Of a long conversation that was rewritten nothing is read: it counts as cut.
    """
    brought = brought_messages(before, after)
    if brought is None:
        return " " * (MOST_TEXT + 1)
    return _joined(message_texts(brought))


def message_texts(messages: Sequence[Json]) -> Iterator[str]:
    """Yield what was said in messages, what tools answered last; no instructions."""
    said = [one for one in messages if _speaker(one) not in _INSTRUCTING]
    for one in sorted(said, key=lambda one: _speaker(one) == _ANSWERS):
        if isinstance(one, dict):
            one = {key: value for key, value in one.items() if key not in _NAMING}
        yield from texts(one)


def brought_messages(before: bytes, after: bytes) -> list[Json] | None:
    """Return the messages of a list that are not in the one before.

    None: the list was rewritten, and is too long to be compared. Mostly it goes on
    where the other ends, and then only what follows is parsed.
    """
    end = len(before) - 1
    if len(before) <= len("[]"):
        return _list(after)
    if after.startswith(before[:end]) and after[end : end + 1] in (b",", b"]"):
        return _list(b"[" + after[end:].removeprefix(b","))
    if max(len(before), len(after)) > MOST_REWRITTEN:
        return None
    left = Counter(map(json.dumps, _list(before)))
    found = []
    for message in _list(after):
        written = json.dumps(message)
        if left[written] > 0:
            left[written] -= 1
        else:
            found.append(message)
    return found


def _joined(said: Iterable[str]) -> str:
    found: list[str] = []
    room = MOST_TEXT + 1
    for text in said:
        found.append(text[:room])
        room -= len(found[-1]) + 1
        if room <= 0:
            break
    return "\n".join(found).replace("\x00", " ")


def texts(value: Json) -> Iterator[str]:
    """Yield every text in what was said, in its order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts(inner)


def _speaker(message: Json) -> str:
    told = message if isinstance(message, dict) else {}
    return str(told.get("role") or told.get("type"))


def _list(data: bytes) -> list[Json]:
    found = json.parse_written(data)
    return found if isinstance(found, list) else []
