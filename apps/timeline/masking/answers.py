"""Mask what an answer shows: a copy in which nothing is left of what masks cover.

Of a masked place the whole value goes, with all that is in it; of a text that holds
what a pattern finds, that part, also in keys and in numbers.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from apps.accounts.masks import Mask, Style
from apps.core import json
from apps.timeline.masking import written
from apps.timeline.masking.cards import Span
from apps.timeline.masking.patterns import finder_of
from apps.timeline.masking.written import Places

HIDDEN = "[masked]"
SHOWN_LAST = 4
# Of what is shorter, four characters would be too much.
SHORTEST_SHOWN = 8
DIGEST_CHARS = 16

# A mask by its number, and how much of its pointer has been followed.
Step = tuple[int, int]


@dataclass(frozen=True)
class Masking:
    """The masks of a project, for answers that show states at these places."""

    masks: Sequence[Mask]
    secret: bytes
    shown_at: Sequence[str]

    def masked(self, answer: Any) -> Any:
        """Return a copy of a decoded answer without what the masks cover."""
        steps = [(number, 0) for number in range(len(self._places))]
        return self._value(answer, self._closed(steps))

    def written(self, data: bytes) -> bytes:
        """Return written JSON without what the masks cover, as `masked` does.

        Parsed only for places whose names stand in it; what patterns may find is
        looked for in the whole.
        """
        text = data.decode()
        at = frozenset(
            number
            for number, names in enumerate(self._names)
            if all(name in text for name in names)
        )
        if at:
            steps = self._closed((number, 0) for number in at)
            value = self._placed(json.parse_written(data), steps)
            text = json.dumps(value).decode()
        found = written.redrawn(text, self._hints, self._redraw)
        if found is None:
            return json.dumps(self.masked(json.parse_written(data)))
        return found.encode()

    @cached_property
    def _hints(self) -> list[Places] | None:
        return written.hints_of(self.masks)

    @cached_property
    def _names(self) -> list[list[str]]:
        """What has to stand in an answer for each place to be there."""
        return [
            [
                f"{json.dumps(one).decode()}:"
                for one in segments
                if one not in ("*", "**") and not one.isdecimal()
            ]
            for segments, _ in self._places
        ]

    def _redraw(self, scalar: str, is_string: bool) -> str:
        if is_string:
            said = json.parse_written(scalar.encode())
            drawn = self._text(said)
            return scalar if drawn == said else json.dumps(drawn).decode()
        drawn = self._text(scalar)
        return scalar if drawn == scalar else json.dumps(drawn).decode()

    def _placed(self, value: Any, steps: frozenset[Step]) -> Any:
        """Return a copy without masked places; what none reaches is not looked at."""
        for number, followed in steps:
            segments, style = self._places[number]
            if followed == len(segments):
                return self._drawn(value, style)
        if isinstance(value, dict):
            named = self._named_in(steps)
            return {
                key: self._placed(child, self._below(steps, key))
                if named is None or key in named or isinstance(child, dict | list)
                else child
                for key, child in value.items()
            }
        if isinstance(value, list):
            return [
                self._placed(child, below) if below else child
                for index, child in enumerate(value)
                if (below := self._below(steps, str(index))) is not None
            ]
        return value

    def _named_in(self, steps: frozenset[Step]) -> frozenset[str] | None:
        """Return of which names a member may be masked; None: of any."""
        names = {
            self._places[number][0][followed]
            for number, followed in steps
            if followed < len(self._places[number][0])
        }
        return None if "*" in names else frozenset(names - {"**"})

    def text(self, text: str) -> str:
        """Return a text without what patterns find in it."""
        return self._text(text)

    def masked_at(self, pointer: str, value: Any) -> Any:
        """Return a copy of what stands at a place, without what the masks cover."""
        return self._value(value, self._reached(pointer))

    def is_within(self, pointer: str) -> bool:
        """Say whether all of what stands at a place is masked."""
        return self._is_end(self._reached(pointer))

    def hides(self, pointer: str) -> bool:
        """Say whether a mask covers what stands at a place, or may cover some of it."""
        return bool(self._reached(pointer))

    def _reached(self, pointer: str) -> frozenset[Step]:
        """Return how far the masks are followed there: all the way, once within one."""
        steps = self._closed((number, 0) for number in range(len(self._places)))
        for segment in json.segments(pointer):
            if self._is_end(steps):
                break
            steps = self._below(steps, segment)
        return steps

    def _is_end(self, steps: frozenset[Step]) -> bool:
        return any(len(self._places[one][0]) == followed for one, followed in steps)

    @cached_property
    def _places(self) -> list[tuple[list[str], Style]]:
        return [
            (json.segments(place) + _steps_of(mask.pointer), mask.style)
            for mask in self.masks
            if mask.pointer is not None
            for place in self.shown_at
        ]

    @cached_property
    def _patterns(self) -> list[tuple[Callable[[str], Iterable[Span]], Style]]:
        return [(finder_of(mask), mask.style) for mask in self.masks if mask.pattern]

    @cached_property
    def _known(self) -> dict[str, str]:
        """Texts and how they are drawn: older clients are shown a state twice."""
        return {}

    @cached_property
    def _named(self) -> frozenset[str]:
        return frozenset(step for steps, _ in self._places for step in steps)

    @cached_property
    def _followed(self) -> dict[tuple[frozenset[Step], str], frozenset[Step]]:
        return {}

    def _value(self, value: Any, steps: frozenset[Step]) -> Any:
        for number, followed in steps:
            segments, style = self._places[number]
            if followed == len(segments):
                return self._drawn(value, style)
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict):
            return self._object(value, steps)
        if isinstance(value, list):
            return [
                self._value(child, self._below(steps, str(index)))
                for index, child in enumerate(value)
            ]
        return self._leaf(value)

    def _object(self, value: dict[str, Any], steps: frozenset[Step]) -> dict[str, Any]:
        """Return a copy; keys that are drawn alike are numbered: none is lost."""
        shown: dict[str, Any] = {}
        for key, child in value.items():
            drawn = name = self._text(key)
            again = 1
            while name in shown:
                again += 1
                name = f"{drawn} {again}"
            shown[name] = self._value(child, self._below(steps, key))
        return shown

    def _leaf(self, value: Any) -> Any:
        if value is None or isinstance(value, bool):
            return value
        said = json.dumps(value).decode()
        drawn = self._text(said)
        return value if drawn == said else drawn

    def _text(self, text: str) -> str:
        """Return a text without what patterns find, which many repeat."""
        drawn = self._known.get(text)
        if drawn is None:
            drawn = self._known[text] = self._found_out(text)
        return drawn

    def _found_out(self, text: str) -> str:
        for find, style in self._patterns:
            pieces, end = [], 0
            for start, stop in _apart(find(text)):
                pieces += [text[end:start], self._drawn(text[start:stop], style)]
                end = stop
            if pieces:
                text = "".join([*pieces, text[end:]])
        return text

    def _below(self, steps: frozenset[Step], key: str) -> frozenset[Step]:
        """Return how far the pointers are followed in the member of this key."""
        if not steps:
            return steps
        # Members that no pointer names are alike: only a star stands for them.
        member = steps, key if key in self._named else "*"
        below = self._followed.get(member)
        if below is None:
            below = self._followed[member] = self._closed(self._one_on(*member))
        return below

    def _one_on(self, steps: frozenset[Step], key: str) -> Iterable[Step]:
        for number, followed in steps:
            segment = self._places[number][0][followed]
            if segment == "**":
                yield number, followed
            elif segment in ("*", key):
                yield number, followed + 1

    def _closed(self, steps: Iterable[Step]) -> frozenset[Step]:
        """Add where `**` stands for nothing."""
        found = set()
        for number, followed in steps:
            segments = self._places[number][0]
            found.add((number, followed))
            while followed < len(segments) and segments[followed] == "**":
                followed += 1
                found.add((number, followed))
        return frozenset(found)

    def _drawn(self, value: Any, style: Style) -> str:
        """Return what stands in place of a value."""
        if style == Style.DIGEST:
            key = hmac.digest(self.secret, b"stepback mask", hashlib.sha256)
            found = hmac.new(key, json.dumps(value), hashlib.sha256)
            return f"[masked {found.hexdigest()[:DIGEST_CHARS]}]"
        if style == Style.LAST4 and not isinstance(value, dict | list | bool):
            text = value if isinstance(value, str) else json.dumps(value).decode()
            if len(text) >= SHORTEST_SHOWN:
                return f"[masked …{text[-SHOWN_LAST:]}]"
        return HIDDEN


def _steps_of(pointer: str) -> list[str]:
    """Return the steps of a mask's pointer; `**` at its end is each member there."""
    segments = json.segments(pointer)
    return [*segments[:-1], "*"] if segments[-1] == "**" else segments


def _apart(spans: Iterable[Span]) -> list[Span]:
    """Return spans that overlap as one, so that no end of one is left."""
    found: list[Span] = []
    for start, stop in spans:
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(stop, found[-1][1])
        else:
            found.append((start, stop))
    return found
