"""What a turn reports about itself that can be counted: its tool, whether that failed,
how long it took. Pure: values in, facts out.

They stand where StateBase's clients put them. Other shapes are not guessed at: a list
of `tool_calls` says what is to be called, and not what came of it.
"""

from __future__ import annotations

from collections.abc import Mapping

from apps.core.json import Json

LONGEST_NAME = 200
# A day: what is longer is no latency.
LONGEST_MS = 86_400_000
TOOL_KEYS = ("tool_name", "tool_used")


def facts(
    said: Mapping[str, Json],
    answered: Mapping[str, Json],
    metadata: Mapping[str, Json] | None,
) -> dict[str, Json]:
    """Return what the turn's event tells of it: nothing that was not said.

    `tool_failed` goes with `tool_name` alone; `latency_ms` is of any turn.
    """
    about = metadata or {}
    found: dict[str, Json] = {}
    tool = _tool(said, about)
    if tool:
        found |= {"tool_name": tool, "tool_failed": _failed(answered, about)}
    latency = about.get("latency_ms")
    # Comparing comes first: an integer may have thousands of digits, a float be NaN.
    if type(latency) in (int, float) and 0 <= latency <= LONGEST_MS:  # type: ignore[operator]
        found["latency_ms"] = round(latency)  # type: ignore[arg-type]
    return found


def _tool(said: Mapping[str, Json], about: Mapping[str, Json]) -> str:
    called = said.get("tool_metadata")
    if said.get("type") == "tool_call" and isinstance(called, Mapping):
        name = _text(called.get("name"))
        if name:
            return name
    return next(filter(None, (_text(about.get(key)) for key in TOOL_KEYS)), "")


def _failed(answered: Mapping[str, Json], about: Mapping[str, Json]) -> bool:
    return (
        answered.get("type") == "error"
        or answered.get("is_error") is True
        or about.get("success") is False
        or bool(_text(about.get("error_type")))
    )


def _text(value: Json) -> str:
    return value.strip()[:LONGEST_NAME] if isinstance(value, str) else ""
