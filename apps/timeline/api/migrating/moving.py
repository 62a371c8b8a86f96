"""What a caller says is to go on with a state, and onto what other code that goes."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from apps.core.paging import text_of
from apps.timeline.api import parameters
from apps.timeline.queries.migrating import Ahead, Move

AHEAD = [
    parameters.text("release", "The release that is to go on with it, for `moves`."),
    parameters.text("model", "The model that is to go on with it, for `moves`."),
]


def ahead_of(request: Request, schema: str | None = None) -> Ahead:
    """Raises: InvalidRequest."""
    return Ahead(
        release=text_of(request, "release"),
        model=text_of(request, "model"),
        schema=schema,
    )


def move_object(move: Move) -> dict[str, Any]:
    return {
        "of": move.of,
        "was": move.was,
        "now": move.now,
        "migrates": move.migrates,
    }
