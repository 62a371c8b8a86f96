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
from apps.diffs.paths import Path, path_bytes
from apps.diffs.touched import Role, touched

SHOWN_CHANGES = 50
SHOWN_POINTER = 500
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
class Marks:
    """Parallel columns of the change rows of one version."""

    path_keys: list[bytes] = field(default_factory=list)
    roles: list[int] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    value_keys: list[bytes | None] = field(default_factory=list)


def shown(comparison: Comparison) -> dict[str, Any]:
    """Return the display columns: the first changes, short, and how many there are."""
    changes = comparison.changes
    return {
        "changes": [_shown(change) for change in changes[:SHOWN_CHANGES]],
        "change_count": len(changes),
    }


def marks(comparison: Comparison, project: Project) -> tuple[Marks, bool]:
    """Return the change rows, and whether some had to be left out."""
    found = touched(comparison)
    rows = Marks()
    key = bytes(project.index_key)
    for row in found.rows:
        rows.path_keys.append(path_key(key, row.path))
        rows.roles.append(ROLES[row.role])
        rows.kinds.append(KINDS[row.kind])
        rows.value_keys.append(value_key(key, row.value))
    return rows, found.truncated


def carry(rows: Marks, state: State, project: Project) -> bool:
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


def _shown(change: Change) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "pointer": json.cleaned(change.pointer, max_string=SHOWN_POINTER),
        "kind": change.kind.value,
    }
    for side in ("before", "after"):
        value = getattr(change, side)
        if value is not MISSING:
            shown[side] = json.cleaned(value, max_depth=3, max_entries=20)
    if change.from_pointer is not None:
        shown["from_pointer"] = json.cleaned(
            change.from_pointer, max_string=SHOWN_POINTER
        )
    return shown
