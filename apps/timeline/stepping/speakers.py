"""Who speaks in a message, and the content that it says: whatever an agent posts.

Roles and texts are usual, as OpenAI's, LangGraph's and StateBase's messages have them;
anything else is the JSON it is. Pure.
"""

from __future__ import annotations

from enum import StrEnum

from apps.core.json import Json


class Speaker(StrEnum):
    """Who says something, as far as it can be told apart."""

    CUSTOMER = "customer"
    AGENT = "agent"
    SYSTEM = "system"
    TOOL = "tool"
    OTHER = "other"


KINDS = {
    **dict.fromkeys(("user", "human", "customer"), Speaker.CUSTOMER),
    **dict.fromkeys(("assistant", "ai", "agent", "model"), Speaker.AGENT),
    **dict.fromkeys(("system", "developer", "policy"), Speaker.SYSTEM),
    **dict.fromkeys(("tool", "function", "tool_call", "tool_response"), Speaker.TOOL),
}


def kind_of(message: Json, default: Speaker) -> Speaker:
    """Return who speaks, as far as the message says: its role, or its type."""
    if isinstance(message, dict):
        for key in ("role", "type"):
            named = message.get(key)
            if isinstance(named, str) and named.casefold() in KINDS:
                return KINDS[named.casefold()]
    return default


def content_said(message: Json) -> Json:
    """Return what a message says; None for one that only calls tools."""
    content = message
    if isinstance(message, dict):
        content = message.get("content")
        if "content" not in message and "tool_calls" not in message:
            content = _beside_its_kind(message)
    if isinstance(content, list):
        content = _text_of(content)
    return None if content in ("", [], {}) else content


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
