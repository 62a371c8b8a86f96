"""A person who is shown what a project's masks leave, wherever values are handed out.

A pointer is followed from the root of every value that stands by itself: a state, a
part of a checkpoint, what a turn says, arguments, results, a keyed document's value.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

from orjson import Fragment

from apps.accounts import masks
from apps.accounts.models import Project
from apps.core import json
from apps.core.errors import MalformedJson, UnacceptableJson
from apps.timeline.masking.answers import HIDDEN, Masking

# How an append writes that there was more of a text.
CUT = "…"
# Markup as templates write it: a value never holds a sign that would end it.
_MARKUP = re.compile(r"<!--.*?-->|<(script|style)\b.*?</\1>|<[^>]*>", re.DOTALL)
_ATTRIBUTE = re.compile(r'(\s[a-z:-]+=)"([^"]*)"')
# Drawings are made of numbers, and a run of them may look like a card's.
_DRAWN = frozenset(("d", "points", "viewBox", "transform", "x", "y", "style", "class"))


class MaskedReader:
    """Somebody who is shown what the masks of a project leave."""

    def __init__(self, project: Project) -> None:
        self._masking = Masking(
            masks=masks.stored(project.masks),
            secret=bytes(project.index_key),
            shown_at=("",),
        )
        self._parts: dict[tuple[str, bytes], bytes] = {}

    def text(self, text: str) -> str:
        return self._masking.text(text)

    def value(self, data: bytes) -> bytes:
        try:
            value = json.parse_written(bytes(data))
        except (MalformedJson, UnacceptableJson):
            return HIDDEN.encode()
        return json.dumps(self._masking.masked(value))

    def part(self, name: str, data: bytes) -> bytes:
        """A part that is no JSON, such as another system's own, is hidden whole."""
        known = self._parts.get((name, data))
        if known is None:
            known = self._parts[name, data] = self._part(name, data)
        return known

    def _part(self, name: str, data: bytes) -> bytes:
        try:
            value = json.parse_written(data)
        except (MalformedJson, UnacceptableJson):
            return HIDDEN.encode()
        drawn = self._masking.masked(value)
        if name != "state":
            # Agents keep messages in their states as well as beside them.
            (drawn,) = self._masking.masked({name: drawn}).values()
        if isinstance(value, list) and not isinstance(drawn, list):
            drawn = [HIDDEN]
        elif isinstance(value, dict) and not isinstance(drawn, dict):
            drawn = {HIDDEN: HIDDEN}
        return json.dumps(drawn)

    def turn_part(self, name: str, data: bytes) -> bytes:
        value = json.parse_written(data)
        drawn = self._masking.masked(value)
        if isinstance(value, dict) and "content" in drawn:
            drawn["content"] = self._masking.masked(drawn["content"])
        return json.dumps(drawn)

    def held(self, value: Any) -> Any:
        if not isinstance(value, str):
            return self._masking.masked(value)
        try:
            spelled = json.parse_written(value.encode())
        except (MalformedJson, UnacceptableJson):
            return self.text(value)
        drawn = self._masking.masked(spelled)
        # Written as it was, where nothing of it is masked.
        return value if drawn == spelled else json.dumps(drawn).decode()

    def change(self, kept: Mapping[str, Any]) -> dict[str, Any]:
        """Of a text that was cut nothing is left: no pattern finds half of a word."""
        sides = {
            name: self._side(kept, name) for name in ("before", "after") if name in kept
        }
        return {**kept, **sides}

    def _side(self, kept: Mapping[str, Any], name: str) -> Any:
        places = kept["pointer"], kept.get("from_pointer") or kept["pointer"]
        if "differs_at" in kept or any(map(self._masking.is_within, places)):
            return HIDDEN
        value = self._masking.masked_at(kept["pointer"], kept[name])
        return _without_cut(value)

    def hides(self, pointer: str) -> bool:
        return self._masking.is_within(pointer)

    def hides_below(self, pointer: str) -> bool:
        return self._masking.hides(pointer)

    def message(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return what is told of an event; pointers are of its metadata alone."""
        told = {name: self._told(value) for name, value in data.items()}
        metadata = data.get("metadata")
        if isinstance(metadata, Fragment):
            told["metadata"] = json.parse_written(self.value(json.dumps(metadata)))
        return told

    def _told(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._told(one) for one in value]
        if isinstance(value, dict):
            return {self.text(name): self._told(one) for name, one in value.items()}
        return value

    def address(self, url: str) -> str:
        """Return an address, or one of nothing where patterns find some in it."""
        read = unquote(url.replace("+", " "))
        return url if self.text(read) == read else f"{url.partition('?')[0]}"

    def page(self, content: str) -> str:
        """Return a page without what patterns find in its texts and its attributes."""
        pieces, end = [], 0
        for markup in _MARKUP.finditer(content):
            pieces.append(self._between(content[end : markup.start()]))
            tag = markup.group()
            is_tag = not markup[1] and not tag.startswith("<!")
            pieces.append(_ATTRIBUTE.sub(self._attribute, tag) if is_tag else tag)
            end = markup.end()
        return "".join([*pieces, self._between(content[end:])])

    def _between(self, escaped: str) -> str:
        if not escaped or escaped.isspace():
            return escaped
        text = html.unescape(escaped)
        drawn = self.text(text)
        return escaped if drawn == text else html.escape(drawn)

    def _attribute(self, found: re.Match[str]) -> str:
        name, escaped = found[1].strip(" \n=").lower(), found[2]
        if name in _DRAWN or not escaped:
            return found[0]
        text = html.unescape(escaped)
        for read in (text, unquote(text), unquote(text.replace("+", " "))):
            if self.text(read) != read:
                return f'{found[1]}"{html.escape(self.text(read))}"'
        return found[0]


def reader_of(project: Project) -> MaskedReader | None:
    """Return how a project is told to those who are shown what its masks leave."""
    return None if project.masks == masks.NO_MASKS else MaskedReader(project)


def readers_of(project_ids: Iterable[str]) -> dict[str, MaskedReader]:
    """Return the same of those of these projects that have masks, in one statement."""
    found = Project.objects.filter(id__in=list(project_ids))
    return {
        str(one.id): MaskedReader(one)
        for one in found.exclude(masks=masks.NO_MASKS).only("id", "masks", "index_key")
    }


def _without_cut(value: Any) -> Any:
    if isinstance(value, str):
        return HIDDEN if value.endswith(CUT) else value
    if isinstance(value, list):
        return [_without_cut(one) for one in value]
    if isinstance(value, dict):
        return {
            HIDDEN if name.endswith(CUT) else name: _without_cut(one)
            for name, one in value.items()
        }
    return value
