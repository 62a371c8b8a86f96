"""What differs between a version and the one it is to follow, from as little as can be.

Where a large state is shown again (a rollback), neither of the two is parsed: the
outlines that this process made of them tell which members differ.
"""

from __future__ import annotations

from dataclasses import dataclass

from apps.core import json
from apps.core.json import State
from apps.diffs import facets
from apps.diffs.changes import Comparison
from apps.diffs.compare import compare
from apps.diffs.facets import Leaves
from apps.diffs.outlines import Outlined, differing, outline
from apps.timeline import bodies
from apps.timeline.versions import reading
from apps.timeline.versions.reading import VersionRow

# Below this a state is parsed as fast as its outline is looked at.
OUTLINED_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Difference:
    """The comparison, and the leaves of both states; `before` of a beginning is None.

    The comparison may leave out members that are the same in both.
    """

    comparison: Comparison
    before: Leaves | None
    after: Leaves


def between_bodies(head: VersionRow, shown: VersionRow) -> Difference:
    """Return what differs where a version shows a body that is stored already."""
    if shown.body_number == head.body_number:
        return _of_states({}, {})
    return between(head, shown)


def between(before: VersionRow, after: VersionRow) -> Difference:
    """Return what differs between two versions of one session."""
    old = _outlined(before)
    new = old and _outlined(after)
    if old is None or new is None:
        return _of_states(reading.parsed(before), reading.parsed(after))
    parts = differing(old, new, json.parse_written)
    return Difference(compare(*parts), old.outline.leaves, new.outline.leaves)


def _of_states(before: State, after: State) -> Difference:
    comparison = compare(before, after)
    return Difference(comparison, facets.leaves(before), facets.leaves(after))


def _outlined(version: VersionRow) -> Outlined | None:
    """Return the state with its outline, made now if this process has none yet."""
    if version.size < OUTLINED_BYTES:
        return None
    key = (version.session_id, version.body_number)
    known = bodies.cache.outline(key)
    if known is None:
        known = outline(reading.parsed(version), reading.state(version))
        if known is None:
            return None
        bodies.cache.keep_outline(key, known)
    return Outlined(reading.state_view(version), known)
