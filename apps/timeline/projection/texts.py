"""The text of a turn, by whose words it is found. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum

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


def turn_text(*said: Json) -> str:
    """Join the texts in what was said, one character more than is looked into.

    Keys are not said; the type of a message neither, but nobody can tell them apart
    from other texts.
    """
    found: list[str] = []
    room = MOST_TEXT + 1
    for text in texts(list(said)):
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
