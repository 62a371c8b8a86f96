"""Conflicts and changes of a merge as whoever looks may see them.

A merge is of what is stored, whoever looks: its conflicts have the ids that the act
will find. So it is not the states that are drawn for a masked reader, but each value
that is shown of it.
"""

from __future__ import annotations

from apps.core import json
from apps.core.json import Json
from apps.diffs import pointers
from apps.diffs.changes import MISSING, Comparison
from apps.diffs.compare import compare
from apps.diffs.readers import hides_at, reader
from apps.timeline.masking import HIDDEN
from apps.timeline.queries import MergePreview
from apps.timeline.versions import parsed_state

STATE = "state"


def drawn(part: str, pointer: str, values: list[Json]) -> list[Json]:
    """Return values that stand at one place, none of what masks cover in them.

    Where some of one is covered, nothing of the others is shown either: beside each
    other they would tell.
    """
    who = reader()
    if who is None:
        return values
    places = [pointer]
    if part != STATE:
        # Agents keep in states what they keep beside them.
        places.append(pointers.join([part]) + pointer)
    if any(hides_at(place, one) for place in places for one in values):
        return [one if one is MISSING else HIDDEN for one in values]
    return [
        one
        if one is MISSING
        else who.change({"pointer": pointer, "before": one})["before"]
        for one in values
    ]


def is_hidden(values: list[Json]) -> bool:
    """Say whether masks cover what stands there."""
    return reader() is not None and any(one == HIDDEN for one in values)


def result(found: MergePreview) -> Comparison | None:
    """Return what becomes of the head's state, None while it is not known."""
    who, state = reader(), found.combined.state
    if who is None or state is None:
        return found.comparison
    seen = json.parse_written(who.part(STATE, json.dumps(state)))
    return compare(parsed_state(found.head), seen)
