"""What a command prints: lines for people, or one JSON object a line."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

COLOURS = {"added": 32, "removed": 31, "changed": 33, "dim": 2, "bold": 1}
UNSAFE = dict.fromkeys((*range(32), *range(127, 160)), "\N{REPLACEMENT CHARACTER}")
LONGEST = 200
# Of what is the same before a difference, so much is shown.
LEAD = 40
LONGEST_CLUSTER = 64
# What makes one emoji of several characters: joiner, skin tones, letters of flags.
JOINER = "\u200d"
MODIFIERS = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
FLAGS = frozenset(map(chr, range(0x1F1E6, 0x1F200)))


class Output:
    """Writes results. What agents wrote is data: no control character leaves it."""

    def __init__(self, stream: TextIO, *, as_json: bool, colours: bool) -> None:
        self._stream = stream
        self.as_json = as_json
        self._colours = colours and not as_json

    def result(self, raw: Mapping[str, Any], *lines: str) -> None:
        """Print an answer whole as JSON, or these lines about it."""
        if self.as_json:
            self.write(json.dumps(raw, ensure_ascii=False))
        else:
            for line in lines:
                self.write(line)

    def ahead(self, raw: Mapping[str, Any]) -> None:
        """Tell people, before it is done, onto which other code a state goes."""
        if not self.as_json:
            for line in moves(raw, self):
                self.write(line)

    def more(self) -> None:
        """Tell people that a list goes on."""
        if not self.as_json:
            self.write(self.paint("… there are more", "dim"))

    def notices(self, said: Iterable[str]) -> None:
        """Tell beside the results how far was looked, and what may be missing."""
        for one in said:
            sys.stderr.write(f"stepback: {plain(one)}\n")

    def write(self, line: str) -> None:
        self._stream.write(line + "\n")
        self._stream.flush()

    def paint(self, text: object, colour: str) -> str:
        """Return the text, coloured on a terminal."""
        shown = plain(text)
        if not self._colours:
            return shown
        return f"\x1b[{COLOURS.get(colour, 0)}m{shown}\x1b[0m"


def moves(raw: Mapping[str, Any], output: Output) -> list[str]:
    """Return a line for each of release, model and schema that is another by now."""
    return [
        output.paint(
            f"! Its {move['of']} is {move['was']}, the agent writes with "
            f"{move['now']} by now.",
            "changed",
        )
        for move in raw.get("moves", ())
    ]


def plain(text: object) -> str:
    """Return a text of the server without what would steer a terminal."""
    return str(text).translate(UNSAFE)


def value(shown: Any) -> str:
    """Return a value as short JSON."""
    return _short(json.dumps(shown, ensure_ascii=False))


def values(before: Any, after: Any) -> tuple[str, str, str]:
    """Return two values as short JSON, and where they part if not at once.

    Of two that begin alike, what stands around the difference.
    """
    was, now = (json.dumps(one, ensure_ascii=False) for one in (before, after))
    at = _common(was, now)
    if at + LEAD < LONGEST or max(len(was), len(now)) <= LONGEST:
        return _short(was), _short(now), ""
    start = _boundary(was, at - LEAD)
    texts = isinstance(before, str) and isinstance(after, str)
    where = f"differs at character {_common(before, after) + 1:,}" if texts else ""
    return "…" + _short(was[start:]), "…" + _short(now[start:]), where


def _short(text: str) -> str:
    if len(text) <= LONGEST:
        return plain(text)
    return plain(text[: _boundary(text, LONGEST - 1)] + "…")


def _common(before: str, after: str) -> int:
    """Halve what may be equal: slices compare faster than characters."""
    low, high = 0, min(len(before), len(after))
    while low < high:
        middle = (low + high + 1) // 2
        is_equal = before[low:middle] == after[low:middle]
        low, high = (middle, high) if is_equal else (low, middle - 1)
    return min(_boundary(before, low), _boundary(after, low))


def _boundary(text: str, at: int) -> int:
    """Go back to where no letter and no emoji is cut in two."""
    for start in range(at, max(0, at - LONGEST_CLUSTER), -1):
        if start >= len(text) or not _goes_on(text[start - 1], text[start]):
            return start
    return at if at > LONGEST_CLUSTER else 0


def _goes_on(before: str, character: str) -> bool:
    """Say whether the character belongs to what the one before it began."""
    return (
        unicodedata.category(character) in ("Mn", "Mc", "Me")
        or JOINER in (before, character)
        or character in MODIFIERS
        or (before in FLAGS and character in FLAGS)
    )


class Progress:
    """Counts on standard error, on a terminal only."""

    def __init__(self, what: str, total: int | None = None) -> None:
        self._what, self._total, self._done = what, total, 0
        self._shown = sys.stderr.isatty()

    def step(self, count: int = 1) -> None:
        self._done += count
        if self._shown:
            of = f"/{self._total}" if self._total else ""
            sys.stderr.write(f"\r{self._what}: {self._done}{of}")
            sys.stderr.flush()

    def end(self) -> None:
        if self._shown:
            sys.stderr.write("\n")
