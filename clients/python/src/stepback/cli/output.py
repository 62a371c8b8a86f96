"""What a command prints: lines for people, or one JSON object a line."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any, TextIO

COLOURS = {"added": 32, "removed": 31, "changed": 33, "dim": 2, "bold": 1}
UNSAFE = dict.fromkeys((*range(32), *range(127, 160)), "\N{REPLACEMENT CHARACTER}")
LONGEST = 200


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

    def write(self, line: str) -> None:
        self._stream.write(line + "\n")
        self._stream.flush()

    def paint(self, text: object, colour: str) -> str:
        """Return the text, coloured on a terminal."""
        shown = plain(text)
        if not self._colours:
            return shown
        return f"\x1b[{COLOURS.get(colour, 0)}m{shown}\x1b[0m"


def plain(text: object) -> str:
    """Return a text of the server without what would steer a terminal."""
    return str(text).translate(UNSAFE)


def value(shown: Any) -> str:
    """Return a value as short JSON."""
    text = json.dumps(shown, ensure_ascii=False)
    return plain(text if len(text) <= LONGEST else text[: LONGEST - 1] + "…")


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
