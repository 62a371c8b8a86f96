"""What a customer said first, as a title: in a turn, or in a list of messages. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from apps.diffs.changes import Json
from apps.diffs.graphemes import cut

LONGEST = 80
OTHERS = frozenset(
    {"agent", "ai", "assistant", "bot", "developer", "function", "system", "tool"}
)
_SAID_UNDER = ("content", "text", "message", "messages", "query", "prompt", "input")
_SPEAKER = ("role", "type")
_DEEPEST = 6
_LOOKED_AT = 50
# White space is looked for at the beginning of a long text alone.
_BEGINNING = 4_000


def title_from(said: Json) -> str | None:
    """Return the first words of a customer in what was said, to 80 characters."""
    text = _words(said, _DEEPEST)
    return None if text is None else cut_at_a_word(text, LONGEST).replace("\x00", "␀")


def title_from_messages(kept: Json) -> str | None:
    """Return the first words of a customer in a list of messages that a state keeps.

    Nothing of a list whose items do not say who speaks: it may be anything.
    """
    if not isinstance(kept, list):
        return None
    spoken = [
        one
        for one in kept[:_LOOKED_AT]
        if isinstance(one, dict)
        and any(isinstance(one.get(key), str) for key in _SPEAKER)
    ]
    return title_from(spoken)


def cut_at_a_word(text: str, longest: int) -> str:
    """Write a text in one line, cut behind a word where that leaves most of it."""
    line = " ".join(text[:_BEGINNING].split())
    if len(line) <= longest:
        return line
    shown = cut(line, longest - 1)
    whole, _, rest = shown.rpartition(" ")
    if line[len(shown)] != " " and len(whole) > len(rest):
        shown = whole
    return f"{shown.rstrip()}…"


def _words(said: Json, deepest: int) -> str | None:
    """Find the first text that nobody but a customer is known to have said."""
    if isinstance(said, str):
        return said if said.strip() else None
    if deepest == 0:
        return None
    if isinstance(said, dict):
        if any(_is_another(said.get(key)) for key in _SPEAKER):
            return None
        return _first((said.get(key) for key in _SAID_UNDER), deepest)
    return _first(said[:_LOOKED_AT], deepest) if isinstance(said, list) else None


def _is_another(speaker: Json) -> bool:
    return isinstance(speaker, str) and speaker.lower() in OTHERS


def _first(said: Iterable[Json], deepest: int) -> str | None:
    found = (_words(one, deepest - 1) for one in said)
    return next((text for text in found if text is not None), None)
