"""Reads the search language piece by piece, and knows where each piece stands.

Whatever cannot be read is refused with its position and, where one can be guessed,
with what was probably meant: a typo that silently finds nothing misleads.
"""

from __future__ import annotations

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import NoReturn

from apps.core.errors import InvalidRequest
from apps.timeline.search.clauses import Match, Scalar

LONGEST_VALUE = 500

_SPACE = re.compile(r"\s*")
_RUN = re.compile(r"\S*")
# As JSON writes it.
NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_NUMBER = re.compile(NUMBER, re.ASCII)
_WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None}


class Scanner:
    """A text and the place in it up to which it has been read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def has_more(self) -> bool:
        """Skip white space; say whether something is left."""
        self.at = self._end(_SPACE)
        return self.at < len(self.text)

    def looks_at(self, beginning: str) -> bool:
        return self.text.startswith(beginning, self.at)

    def run(self) -> str:
        """Return what stands here up to the next white space, without taking it."""
        return self.text[self.at : self._end(_RUN)]

    def take(self, pattern: re.Pattern[str]) -> str | None:
        """Take what the pattern matches here."""
        found = pattern.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found.group()

    def text_value(self, after: str) -> str:
        """Take a value that is text: quoted, or as it stands up to white space.

        `after` is what the value belongs to, for the sentence where it is missing.
        """
        start = self.at
        found = self.quoted() if self.looks_at('"') else self.take(_RUN) or ""
        if not found:
            self.fail(f"{after} needs a value right behind it", at=start)
        if len(found) > LONGEST_VALUE:
            self.fail(f"a value has at most {LONGEST_VALUE} characters", at=start)
        return found

    def json_value(self, after: str, *, exact: bool) -> tuple[Scalar, Match]:
        """Take a value of a state, and how its type counts.

        What is quoted is text. A bare number, true, false or null is what JSON means
        by it if `exact`, else either that or the text. Anything else is text.
        """
        start = self.at
        if self.looks_at('"'):
            return self._quoted_value(), Match.EXACT
        written = self.text_value(after)
        if written in _WORDS:
            value = _WORDS[written]
        elif _NUMBER.fullmatch(written):
            value = self.number(written, start)
        else:
            return written, Match.EITHER
        return value, Match.EXACT if exact else Match.EITHER

    def quoted(self) -> str:
        """Take a JSON string."""
        start = self.at
        try:
            found, self.at = scanstring(self.text, start + 1, True)
        except json.JSONDecodeError as error:
            is_open = error.msg.startswith("Unterminated")
            what = "this quote is not closed" if is_open else "no JSON string"
            self.fail(what, at=start if is_open else error.pos)
        if any("\ud800" <= character <= "\udfff" for character in found):
            self.fail("half a character (a lone surrogate)", at=start)
        return str(found)

    def end_of_term(self) -> None:
        """Refuse what follows a quote without white space between."""
        if self.run():
            self.fail("put a space here", at=self.at)

    def fail(self, what: str, *, at: int, suggestion: str | None = None) -> NoReturn:
        """Raises: InvalidRequest, with the place and what was probably meant."""
        meant = f" Did you mean {suggestion}?" if suggestion else ""
        raise InvalidRequest(
            f"At character {at + 1}: {what}.{meant}",
            param="q",
            position=at,
            suggestion=suggestion,
        )

    def _quoted_value(self) -> str:
        start = self.at
        found = self.quoted()
        if len(found) > LONGEST_VALUE:
            self.fail(f"a value has at most {LONGEST_VALUE} characters", at=start)
        return found

    def number(self, written: str, at: int) -> int | float:
        """Return what JSON means by a number that stands at a place."""
        if written.lstrip("-").isdecimal():
            return int(written)
        found = float(written)
        if found in (float("inf"), float("-inf")):
            self.fail("this number is larger than a state can hold", at=at)
        return found

    def _end(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self.text, self.at)
        return found.end() if found else self.at
