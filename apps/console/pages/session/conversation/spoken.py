"""Who speaks in a message, and what: read from whatever an agent posts as one.

Roles and texts are usual, as OpenAI's, LangGraph's and StateBase's messages have them;
anything else is written as the JSON it is. Makes plain text within bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from apps.console.pages.session import change_table, json_tree
from apps.console.pages.session.change_table import Side
from apps.console.pages.session.version_text import visible_lines
from apps.core.json import Json
from apps.diffs.text import cut, shorten
from apps.timeline.stepping import Speaker, content_said

# A longer text is folded: its beginning, and a link to all of it. A policy, which is
# closed until it is opened, is folded later.
LONGEST = 4_000
LONGEST_CLOSED = 20_000
BEGINNING = 1_500

NAMES = {
    Speaker.CUSTOMER: "Customer",
    Speaker.AGENT: "Agent",
    Speaker.SYSTEM: "System",
    Speaker.TOOL: "Tool",
    Speaker.OTHER: "Somebody",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """A text, or a value as JSON; `n_characters` is the length of all of a text."""

    text: str = ""
    side: Side | None = None
    n_characters: int = 0
    is_cut: bool = False

    def __bool__(self) -> bool:
        return bool(self.text or self.side)

    @property
    def length(self) -> int:
        """How many characters of HTML it takes."""
        return len(escape(self.text)) + len(escape(self.side.text if self.side else ""))


def speaker_of(message: Json, kind: Speaker) -> str:
    """Name who speaks: a tool by its name, an unusual role by what it is called."""
    if not isinstance(message, dict):
        return NAMES[kind]
    name, role = message.get("name"), message.get("role")
    if kind == Speaker.TOOL and isinstance(name, str) and name:
        return f"Tool {shorten(name, 80)}"
    if kind == Speaker.OTHER and isinstance(role, str) and role.strip():
        return shorten(role, 40)
    return NAMES[kind]


def said_in(message: Json, *, kind: Speaker, whole: bool = False) -> Said:
    """Return what a message says; nothing for one that only calls tools."""
    content = content_said(message)
    if content is None:
        return Said()
    if isinstance(content, str):
        return _text(content, kind=kind, whole=whole)
    longest = json_tree.LONGEST_WHOLE if whole else LONGEST
    side = change_table.written(content, longest)
    return Said(side=side, is_cut=side.is_cut)


def _text(text: str, *, kind: Speaker, whole: bool) -> Said:
    longest = LONGEST_CLOSED if kind == Speaker.SYSTEM else LONGEST
    longest = json_tree.LONGEST_WHOLE if whole else longest
    is_cut = len(text) > longest
    shown = cut(text, longest if whole else BEGINNING) if is_cut else text
    return Said(text=visible_lines(shown), n_characters=len(text), is_cut=is_cut)
