"""Previews and conflicts as objects of answers.

A value is shown up to a size, and all of an answer's up to another: who chooses reads
large ones in the versions themselves, which the answer names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from orjson import Fragment

from apps.core import json
from apps.core.json import Json
from apps.diffs.changes import MISSING
from apps.diffs.merging import Choice, Side
from apps.timeline.api.comparisons import change_list
from apps.timeline.queries.merging import (
    Combined,
    MergePreview,
    PartConflict,
    split_part,
)

# Bytes of one value as JSON, and of all the values in an answer.
LARGEST_VALUE = 16_384
LARGEST_ANSWER = 4 * 1024 * 1024
LISTED_CHANGES = 500

OUTSIDE = (
    "Turns and what was done outside stay where they were: the state alone is merged."
)


def preview_object(found: MergePreview) -> dict[str, Any]:
    sides, combined = found.sides, found.combined
    counts = combined.sides()
    return {
        "object": "merge_preview",
        "op": found.request.op.value,
        "session_id": found.head.session_id,
        "head": found.head.number,
        "hold": found.head.hold,
        "base": _place(sides.base),
        "source": _place(sides.theirs),
        "nothing_to_merge": found.is_nothing,
        "conflicts": conflict_list(combined.conflicts, found.choices),
        "conflict_count": len(combined.conflicts),
        "unchosen": len(combined.unchosen),
        "result": None if found.comparison is None else change_list(found.comparison),
        "changes_taken": _changes(combined),
        "changes_taken_count": counts[Side.THEIRS],
        "changes_kept_count": counts[Side.OURS],
        "changes_alike_count": counts[Side.BOTH],
        "takes_opaque": combined.takes_opaque,
        "turns_left": found.n_turns,
        "effects_left": [
            {
                "id": one.id,
                "key": one.key,
                "tool": one.tool,
                "class": one.effect_class,
                "status": one.status,
                "version": one.number,
            }
            for one in found.effects
        ],
        "effects_left_count": found.n_effects,
        "outside": OUTSIDE,
    }


def conflict_list(
    conflicts: Iterable[PartConflict], choices: Mapping[str, Choice]
) -> list[dict[str, Any]]:
    """Return the conflicts, each with what was chosen for it if that still holds."""
    room = _Room(LARGEST_ANSWER)
    return [
        {
            "id": one.id,
            "part": one.part,
            "kind": one.kind,
            "pointer": one.pointer,
            "length": one.length,
            "picks": [pick.value for pick in one.picks],
            **{side: room.value(getattr(one, side)) for side in _SIDES},
            "choice": choices[one.id].pick.value if one.id in choices else None,
        }
        for one in conflicts
    ]


_SIDES = ("base", "ours", "theirs")


class _Room:
    """What an answer has left for values."""

    def __init__(self, left: int) -> None:
        self._left = left

    def value(self, value: Json) -> dict[str, Any]:
        """Return a value of one side, or why it is not shown."""
        if value is MISSING:
            return {"is_there": False}
        written = json.dumps(value)
        if len(written) > min(LARGEST_VALUE, self._left):
            return {"is_there": True, "size": len(written)}
        self._left -= len(written)
        return {"is_there": True, "value": Fragment(written)}


def _place(version: Any) -> dict[str, Any]:
    return {"session_id": version.session_id, "version": version.number}


def _changes(combined: Combined) -> list[dict[str, Any]]:
    """Return the first changes of theirs that are taken, values aside."""
    taken = (one for one in combined.changes if one.side is Side.THEIRS)
    shown = []
    for one, _ in zip(taken, range(LISTED_CHANGES), strict=False):
        part, pointer = split_part(one.pointer)
        shown.append({"part": part, "pointer": pointer, "kind": one.kind.value})
    return shown
