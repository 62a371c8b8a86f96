"""Mask the texts of a JSON value wherever they stand, names of members too."""

from __future__ import annotations

from apps.core import json
from apps.core.errors import DomainError
from apps.core.json import Json
from apps.exports.telling.patterns import masked_text

# Ids, digests and times that are made here: digits in them are nobody's card.
OURS = frozenset(
    {
        *("object", "id", "entry_id", "session_id", "project_id"),
        *("chain", "leaf", "hash", "entry_hash", "previous_hash", "resource_digest"),
        *("commitment", "binding", "sha256", "digest"),
        *("created_at", "updated_at", "timestamp", "asked_at", "chunks"),
    }
)


def masked_object(told: dict[str, Json]) -> dict[str, Json]:
    """Return an object of ours with all that others wrote in it masked."""
    return {name: one if name in OURS else masked(one) for name, one in told.items()}


def masked(value: Json) -> Json:
    """Return the value with its texts and numbers masked; other parts are the same."""
    if isinstance(value, dict):
        return _masked_members(value)
    if isinstance(value, list):
        return [masked(one) for one in value]
    if isinstance(value, str):
        return _masked_text(value)
    if isinstance(value, float) and value.is_integer():
        return value if masked(int(value)) == int(value) else masked(int(value))
    if isinstance(value, int) and not isinstance(value, bool):
        shown = str(value)
        hidden = masked_text(shown)
        return value if hidden == shown else hidden
    return value


def _masked_members(members: dict[str, Json]) -> dict[str, Json]:
    """Mask an object; names that are masked alike are numbered: none is lost."""
    shown: dict[str, Json] = {}
    for name, one in members.items():
        hidden = free = masked_text(name)
        again = 1
        while free in shown:
            again += 1
            free = f"{hidden} {again}"
        shown[free] = masked(one)
    return shown


def _masked_text(text: str) -> str:
    """Mask a text; one that is JSON, as arguments are, is JSON afterwards."""
    if text[:1] in ("{", "["):
        try:
            inner = json.parse(text.encode())
        except (DomainError, UnicodeEncodeError):
            return masked_text(text)
        hidden = masked(inner)
        return text if hidden == inner else json.dumps(hidden).decode()
    return masked_text(text)
