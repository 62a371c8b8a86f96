"""States that the guide's tests tell their stories with."""

from __future__ import annotations

from typing import Any


def states(versions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [version["state"] for version in versions]


def counting(to: int) -> list[dict[str, Any]]:
    """Return the states of an agent that counts its steps."""
    return [{"n": number} for number in range(to + 1)]
