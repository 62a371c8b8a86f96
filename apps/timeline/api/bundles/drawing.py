"""What a bundle shows: nothing of what masks cover, wherever a copy of it stands.

Elsewhere a mask's pointer covers its place alone. A bundle leaves the server for good,
so what stands at a masked place is learnt first, in all versions, and then hidden in
every text, number and key: in what was said, called, answered and noted.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from urllib.parse import quote, quote_plus

from apps.accounts.masks import Mask, Style
from apps.core import json
from apps.core.errors import ContentTooLarge, MalformedJson, UnacceptableJson
from apps.diffs.graphemes import cut
from apps.timeline.api.bundles import copies
from apps.timeline.api.shapes import PREVIEW
from apps.timeline.masking import HIDDEN, Masking
from apps.timeline.masking.cards import Span
from apps.timeline.masking.patterns import finder_of

Finder = Callable[[str], Iterable[Span]]
# Each is looked for in every text. What is shorter stands in half of all words: it is
# hidden at its place alone, and counted.
MOST_VALUES = 500
SHORTEST = 3
# How an excerpt says that there was more of a text.
CUT = "…"
# Of each kind of line, where a value stands by itself, from whose root pointers go.
ROOTS: dict[tuple[str, str], tuple[str, ...]] = {
    ("session", "metadata"): ("",),
    ("version", "state"): ("",),
    ("turn", "input"): ("", "/content_json", "/tool_metadata/arguments"),
    ("turn", "output"): ("", "/content_json", "/output"),
    ("turn", "metadata"): ("",),
    ("turn", "state_before"): ("",),
    ("turn", "state_after"): ("",),
    ("effect", "arguments"): ("",),
    ("effect", "result"): ("",),
    ("effect", "undo"): ("/arguments",),
    ("approval", "arguments"): ("",),
    ("approval", "outcome"): ("/arguments",),
    ("conversation", "messages"): ("", "/*/content"),
    ("conversation", "tool_results"): ("", "/*"),
}
# Ids, numbers, times and proofs that are made here.
OURS = frozenset(
    {
        *("type", "object", "format", "bundle", "id", "session_id", "version"),
        *("created_at", "updated_at", "ttl_expires_at", "undo_until", "deadline"),
        *("chain", "op", "size", "hold", "flags", "change_count", "set_aside_by"),
        *("changes_truncated", "contents_erased", "states_erased", "made_version"),
        *("parent_version", "restored_version", "undo_of", "step_number"),
        *("source_session_id", "source_version", "forked_from", "forked_version"),
        *("turn_number", "turn_count", "rollback_count", "memory_count", "status"),
        *("attempt", "number", "class", "class_declared", "arguments_size"),
        *("takes_provider_key", "source", "removed", "advice", "review"),
    }
)


@dataclass(frozen=True)
class _Learning(Masking):
    """Follows pointers, and keeps what stands where they end."""

    learnt: list[Any] = field(default_factory=list)

    def _drawn(self, value: Any, style: Style) -> str:
        self.learnt.append(value)
        return HIDDEN


@dataclass(frozen=True)
class _Hiding(Masking):
    """Hides what was learnt as well, wherever it stands."""

    copies: Finder | None = None

    @cached_property
    def _patterns(self) -> list[tuple[Finder, Style]]:
        learnt = [(self.copies, Style.HIDE)] if self.copies else []
        return [*learnt, *((finder_of(one), one.style) for one in self._patterned)]

    @property
    def _patterned(self) -> list[Mask]:
        return [mask for mask in self.masks if mask.pattern]


class Drawing:
    """What masks leave of the lines of one session."""

    def __init__(self, masks: Sequence[Mask], secret: bytes) -> None:
        # Equal values have to look alike everywhere, or no call of a replay would
        # meet the one in the record.
        self._masks = tuple(replace(mask, style=Style.HIDE) for mask in masks)
        self._secret = secret
        self._values: set[str] = set()
        self._short: set[str] = set()

    def learn(self, told: dict[str, Any]) -> None:
        """Learn from a line what is to be hidden.

        Raises: ContentTooLarge for more different values than are looked for.
        """
        for kind, name, value in _members(told):
            places = ROOTS.get((kind, name), ())
            self._keep(self._learnt_in(value, places))
            for spelled in _spelled_in(value):
                self._keep(self._learnt_in(spelled, ("",)))
        if len(self._values) > MOST_VALUES:
            raise ContentTooLarge(
                f"The masks cover more than {MOST_VALUES} different values. "
                "Mask less, or export fewer versions.",
                param="masks",
            )

    def drawn(self, told: dict[str, Any]) -> dict[str, Any]:
        """Return a line without what the masks cover."""
        if not self._masks:
            return told
        shown = {
            name: self._member(str(told["type"]), name, value)
            for name, value in told.items()
        }
        if "session" in shown:
            session = told["session"]
            shown["session"] = {
                name: self._member("session", name, value)
                for name, value in session.items()
            }
            shown["session"]["title"] = HIDDEN if session.get("title") else None
        return _without_parts(shown)

    @property
    def counts(self) -> dict[str, int]:
        """How many values are hidden everywhere, and how many at their place alone."""
        return {"values": len(self._values), "short_values": len(self._short)}

    @property
    def is_needed(self) -> bool:
        return bool(self._masks)

    def _member(self, kind: str, name: str, value: Any) -> Any:
        if name in OURS or value is None:
            return value
        masking = self._masking(ROOTS.get((kind, name), ()))
        return masking.masked(self._respelled(value))

    def _respelled(self, value: Any) -> Any:
        """Return a value whose texts that are JSON, or are cut, are drawn."""
        if isinstance(value, str):
            spelled = _spelled(value)
            if spelled is None:
                return self._without_beginning(value)
            drawn = self._masking(("",)).masked(self._respelled(spelled))
            return value if drawn == spelled else json.dumps(drawn).decode()
        if isinstance(value, dict):
            return {name: self._respelled(one) for name, one in value.items()}
        if isinstance(value, list):
            return [self._respelled(one) for one in value]
        return value

    def _without_beginning(self, text: str) -> str:
        """Hide at the end of an excerpt what may be the beginning of a value."""
        if not text.endswith(CUT):
            return text
        folded = text[: -len(CUT)].lower()
        for value in self._values:
            begins = value.lower()
            for length in range(len(begins) - 1, SHORTEST - 1, -1):
                if folded.endswith(begins[:length]):
                    return text[: len(folded) - length] + HIDDEN
        return text

    def _learnt_in(self, value: Any, places: Sequence[str]) -> list[Any]:
        at = [mask for mask in self._masks if mask.pointer is not None]
        if not at or not places:
            return []
        learning = _Learning(masks=at, secret=self._secret, shown_at=places)
        learning.masked(value)
        return learning.learnt

    def _keep(self, learnt: Iterable[Any]) -> None:
        for one in learnt:
            for text in _texts_in(one):
                (self._short if len(text) < SHORTEST else self._values).add(text)

    def _masking(self, places: Sequence[str]) -> Masking:
        known = self._maskings.get(tuple(places))
        if known is None:
            known = _Hiding(
                masks=self._masks,
                secret=self._secret,
                shown_at=places,
                copies=self._copies,
            )
            self._maskings[tuple(places)] = known
        return known

    @cached_property
    def _maskings(self) -> dict[tuple[str, ...], Masking]:
        return {}

    @cached_property
    def _copies(self) -> Finder | None:
        """Find all that was learnt, in each way in which it may be written."""
        words = {written for one in self._values for written in _written(one)}
        return copies.finder_of(words) if words else None


def _members(told: dict[str, Any]) -> Iterable[tuple[str, str, Any]]:
    kind = str(told["type"])
    if kind == "header":
        kind, told = "session", told["session"]
    return [(kind, *one) for one in told.items() if one[0] not in OURS]


def _without_parts(shown: dict[str, Any]) -> dict[str, Any]:
    """Take away what shows parts of values, in which nobody finds the whole."""
    if shown.get("changes"):
        shown |= {"changes": [], "changes_truncated": True}
    if "result_digest" in shown:
        shown["result_digest"] = None
    for side in ("input", "output"):
        if f"{side}_preview" in shown:
            said = shown[side].get("content") if isinstance(shown[side], dict) else ""
            shown[f"{side}_preview"] = cut(str(said or ""), PREVIEW)
    return shown


def _texts_in(value: Any) -> Iterable[str]:
    """Yield the texts and numbers of a value; names of members are no values."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _texts_in(one)
    elif isinstance(value, str):
        if value.strip():
            yield value.strip()
    elif value is not None and not isinstance(value, bool):
        yield json.dumps(value).decode()


def _spelled_in(value: Any) -> Iterable[Any]:
    """Yield what the texts of a value say that are JSON, and the texts of those."""
    if isinstance(value, str):
        spelled = _spelled(value)
        if spelled is not None:
            yield spelled
            yield from _spelled_in(spelled)
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _spelled_in(one)


def _spelled(text: str) -> Any:
    """Return the object or list that a text is, None for any other text."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.parse(text.encode())
    except (MalformedJson, UnacceptableJson, UnicodeEncodeError):
        return None


def _written(value: str) -> set[str]:
    """Return how a text may be written within others: JSON, addresses, markup."""
    plain = json.dumps(value).decode()[1:-1]
    escaped = plain.encode("ascii", "backslashreplace").decode()
    return {
        value,
        plain,
        escaped,
        quote(value, safe=""),
        quote(value),
        quote_plus(value),
        html.escape(value),
    }
