"""How tests ask where a check turned."""

from typing import Any

from tests.timeline.runs import Run

LOST = "NOT state.destination=null"


def bisect(run: Run, check: Any = LOST, **fields: Any) -> dict[str, Any]:
    return dict(run.post("bisect", {"check": check, **fields}))


def flips(found: dict[str, Any]) -> list[tuple[int, bool | None]]:
    """Return which versions turned the check, and to what."""
    return [(one["version"], one["holds"]) for one in found["data"]]


def place(run: Run, version: int) -> dict[str, Any]:
    return {"session_id": run.id, "version": version}
