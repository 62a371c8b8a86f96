"""Under which paths the change rows stand that may have turned a check. Pure.

Whatever changes a value leaves a row under its path, and one under each container
above. What is in a list has no path that a pointer tells, because items may be known by
their key: there the list's own row says that something in it changed.
"""

from __future__ import annotations

from apps.checks import Check, pointers_of
from apps.diffs import pointers
from apps.diffs.paths import Path


def paths_of(check: Check) -> list[Path]:
    """Return the paths of objects' keys, each up to the first that may be a list."""
    found = {_known(pointers.split(pointer)) for pointer in pointers_of(check)}
    return sorted(found)


def is_of_whole_state(check: Check) -> bool:
    """Return whether it looks at the root, which every change is a change of."""
    return () in paths_of(check)


def _known(tokens: list[str]) -> tuple[str, ...]:
    for place, token in enumerate(tokens):
        if _is_index(token):
            return tuple(tokens[:place])
    return tuple(tokens)


def _is_index(token: str) -> bool:
    try:
        pointers.index(token)
    except KeyError:
        return False
    return True
