"""What a version's comparison leaves behind: changes to show, digests to search.

The digests are keyed with the project's own key, so that equal values of two projects
do not look equal, and a stranger with the database cannot guess a short value.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from typing import Any

from apps.accounts.models import Project
from apps.core import json
from apps.core.json import Json, State
from apps.diffs.changes import MISSING, Change, Comparison, Kind
from apps.diffs.compare import compare
from apps.diffs.excerpts import excerpts
from apps.diffs.graphemes import cut
from apps.diffs.paths import Path, path_bytes
from apps.diffs.touched import Role, touched

SHOWN_CHANGES = 50
SHOWN_POINTER = 500
SHOWN_TEXT = 200
KEY_BYTES = 16
# Longer values are found through the full text of reasoning and turns, not by key.
KEYED_VALUE = 200
KEYED_BYTES = 1_200
CARRIED = 4
ROLES = {Role.LEAF: 1, Role.CONTAINER: 2, Role.SHIFT: 3}
KINDS = {
    Kind.ADDED: 1,
    Kind.REMOVED: 2,
    Kind.CHANGED: 3,
    Kind.TYPE_CHANGED: 4,
    Kind.MOVED: 5,
}


@dataclass(frozen=True, slots=True)
class ChangeRows:
    """Parallel columns of the change rows of one version."""

    path_keys: list[bytes] = field(default_factory=list)
    roles: list[int] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    value_keys: list[bytes | None] = field(default_factory=list)


def shown(comparison: Comparison) -> dict[str, Any]:
    """Return the display columns: the first changes, short, and how many there are."""
    changes = comparison.changes
    return {
        "changes": [
            _places(change) | shortened(before=change.before, after=change.after)
            for change in changes[:SHOWN_CHANGES]
        ],
        "change_count": len(changes),
    }


def shown_earlier(comparison: Comparison) -> list[dict[str, Any]]:
    """Return the changes as the first releases kept them: the beginnings of values."""
    return [
        _places(change)
        | {
            name: _kept(value)
            for name, value in (("before", change.before), ("after", change.after))
            if value is not MISSING
        }
        for change in comparison.changes[:SHOWN_CHANGES]
    ]


def marks(comparison: Comparison, project: Project) -> tuple[ChangeRows, bool]:
    """Return the change rows, and whether some had to be left out."""
    found = touched(comparison)
    rows = ChangeRows()
    key = bytes(project.index_key)
    for row in found.rows:
        rows.path_keys.append(path_key(key, row.path))
        rows.roles.append(ROLES[row.role])
        rows.kinds.append(KINDS[row.kind])
        rows.value_keys.append(value_key(key, row.value))
    return rows, found.truncated


def carry(rows: ChangeRows, state: State, project: Project) -> bool:
    """Add the values that a fork's first version holds without having set them.

    They are held, so search finds them; blame goes on in the origin and passes them
    by. Return whether some had to be left out.
    """
    found, truncated = marks(compare({}, state), project)
    known = set(rows.path_keys)
    for path, kind, value in zip(
        found.path_keys, found.kinds, found.value_keys, strict=True
    ):
        if value is not None and path not in known:
            rows.path_keys.append(path)
            rows.roles.append(CARRIED)
            rows.kinds.append(kind)
            rows.value_keys.append(value)
    return truncated


def path_key(key: bytes, path: Path) -> bytes:
    """Return the digest under which a canonical path is recorded."""
    return _keyed(key, b"path:" + path_bytes(path))


def value_key(key: bytes, value: Json) -> bytes | None:
    """Return the digest of a short scalar, by type: 17 is not "17"; None for others."""
    if value is MISSING or isinstance(value, (dict, list)):
        return None
    if isinstance(value, str) and len(value) > KEYED_VALUE:
        return None
    written = json.dumps(value)
    return _keyed(key, b"value:" + written) if len(written) <= KEYED_BYTES else None


def _keyed(key: bytes, text: bytes) -> bytes:
    return hmac.digest(key, text, "sha256")[:KEY_BYTES]


def shortened(**sides: Json) -> dict[str, Any]:
    """Return short copies of a change's values, between which the difference is seen.

    A side that is MISSING is left out. Of two long texts that begin alike both are what
    stands around the difference, and `differs_at` says where that is.
    """
    there = {name: one for name, one in sides.items() if one is not MISSING}
    shown: dict[str, Any] = {}
    before, after = there.get("before"), there.get("after")
    if (
        isinstance(before, str)
        and isinstance(after, str)
        and (found := excerpts(before, after, SHOWN_TEXT))
    ):
        there = {"before": found.before, "after": found.after}
        shown["differs_at"] = found.position
    for name, value in there.items():
        kept = _kept(value, cut=cut)
        shown[name] = kept
        # Not only where items were left out: the last one may look as if they were.
        if isinstance(kept, list) and json.items_left_out(kept):
            shown[f"{name}_length"] = len(value)
    return shown


def _places(change: Change) -> dict[str, Any]:
    places: dict[str, Any] = {
        "pointer": json.cleaned(change.pointer, max_string=SHOWN_POINTER),
        "kind": change.kind.value,
    }
    if change.from_pointer is not None:
        places["from_pointer"] = json.cleaned(
            change.from_pointer, max_string=SHOWN_POINTER
        )
    return places


def _kept(value: Json, **how: Any) -> Json:
    return json.cleaned(
        value, max_string=SHOWN_TEXT, max_depth=3, max_entries=20, **how
    )
