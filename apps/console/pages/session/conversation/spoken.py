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

# A longer text is folded: its beginning, and a link to all of it. A policy, which is
# closed until it is opened, is folded later.
LONGEST = 4_000
LONGEST_CLOSED = 20_000
BEGINNING = 1_500

CUSTOMER, AGENT, SYSTEM, TOOL, OTHER = "customer", "agent", "system", "tool", "other"
KINDS = {
    **dict.fromkeys(("user", "human", "customer"), CUSTOMER),
    **dict.fromkeys(("assistant", "ai", "agent", "model"), AGENT),
    **dict.fromkeys(("system", "developer", "policy"), SYSTEM),
    **dict.fromkeys(("tool", "function", "tool_call", "tool_response"), TOOL),
}
NAMES = {
    CUSTOMER: "Customer",
    AGENT: "Agent",
    SYSTEM: "System",
    TOOL: "Tool",
    OTHER: "Somebody",
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


def kind_of(message: Json, default: str) -> str:
    """Return who speaks, as far as the message says: its role, or its type."""
    if isinstance(message, dict):
        for key in ("role", "type"):
            named = message.get(key)
            if isinstance(named, str) and named.casefold() in KINDS:
                return KINDS[named.casefold()]
    return default


def speaker_of(message: Json, kind: str) -> str:
    """Name who speaks: a tool by its name, an unusual role by what it is called."""
    if not isinstance(message, dict):
        return NAMES[kind]
    name, role = message.get("name"), message.get("role")
    if kind == TOOL and isinstance(name, str) and name:
        return f"Tool {shorten(name, 80)}"
    if kind == OTHER and isinstance(role, str) and role.strip():
        return shorten(role, 40)
    return NAMES[kind]


def said_in(message: Json, *, kind: str, whole: bool = False) -> Said:
    """Return what a message says; nothing for one that only calls tools."""
    content = message
    if isinstance(message, dict):
        content = message.get("content")
        if "content" not in message and "tool_calls" not in message:
            content = _beside_its_kind(message)
    if isinstance(content, list):
        content = _text_of(content)
    if content is None or content in ("", [], {}):
        return Said()
    if isinstance(content, str):
        return _text(content, kind=kind, whole=whole)
    longest = json_tree.LONGEST_WHOLE if whole else LONGEST
    side = change_table.written(content, longest)
    return Said(side=side, is_cut=side.is_cut)


def _text(text: str, *, kind: str, whole: bool) -> Said:
    longest = LONGEST_CLOSED if kind == SYSTEM else LONGEST
    longest = json_tree.LONGEST_WHOLE if whole else longest
    is_cut = len(text) > longest
    shown = cut(text, longest if whole else BEGINNING) if is_cut else text
    return Said(text=visible_lines(shown), n_characters=len(text), is_cut=is_cut)


def _text_of(content: list[Json]) -> Json:
    """Return the text that content in blocks is, if it is nothing else."""
    texts = [
        one if isinstance(one, str) else one.get("text")
        for one in content
        if isinstance(one, str | dict)
    ]
    if len(texts) < len(content) or not all(isinstance(one, str) for one in texts):
        return content
    return "\n\n".join(map(str, texts))


def _beside_its_kind(message: dict[str, Json]) -> Json:
    return {
        key: value
        for key, value in message.items()
        if not (key in ("type", "role") and isinstance(value, str))
    }
