"""What a fork holds from the beginning, without having set it."""

from __future__ import annotations

from apps.accounts.models import Project
from apps.core.json import State
from apps.diffs.compare import compare
from apps.timeline.ledger.facts.index import ChangeRows, change_rows

CARRIED = 4


def carry(rows: ChangeRows, state: State, project: Project) -> bool:
    """Add the values that a fork's first version holds without having set them.

    They are held, so search finds them; blame goes on in the origin and passes them
    by. Return whether some had to be left out.
    """
    found, truncated = change_rows(compare({}, state), project)
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
