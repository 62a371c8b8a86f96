"""Find the next version that may have changed what blame follows.

A tracked path is the canonical path of a value, or of a key that is absent: it stays
the same until a version says otherwise. Which one does is read in one statement, along
the lineage, from the change rows alone; no body is read here.
"""

from __future__ import annotations

from dataclasses import dataclass

from apps.core import sql
from apps.diffs import pointers
from apps.diffs.changes import Json
from apps.diffs.paths import Path, Paths
from apps.timeline.ledger.facts.index import path_key

# Each round is one live range, newest first: find the rollback it begins with, and the
# newest version in it that has a say. The first that is found ends the recursion, so
# its cost grows with the rollbacks passed, not with the versions. The numbers of roles
# and kinds stand here as literals, because partial indexes are chosen by literals:
# role 3 is a shift, role 4 was carried along by a fork, kind 2 is removed. Where change
# rows were thinned, each number is a stop, whether its version is there or not.
NEXT_STOP = sql.of_session(sql.query("timeline", "blame_next_stop"))
MOVED = 5


@dataclass(frozen=True, slots=True)
class TrackedPath:
    """A canonical path and the lists above it.

    For a key that is not there the path ends with that key, as an object would hold
    it, and `rest` is what the pointer goes on with. `holder` is the path of a scalar
    (or of nothing but brackets) where the key would be: it may have replaced a list.
    """

    path: Path
    lists: tuple[Path, ...]
    is_absent: bool = False
    rest: tuple[str, ...] = ()
    holder: Path | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """The next version that may have set the value, or removed it.

    `kind` is None where its rows alone cannot decide, `restored` is given for a
    rollback.
    """

    number: int
    kind: int | None
    restored: int | None

    @property
    def is_certain(self) -> bool:
        """Whether the rows decide. A moved item may or may not have changed inside."""
        return self.kind not in (None, MOVED)


def track(state: Json, pointer: str) -> TrackedPath:
    """Begin to follow what a pointer names in this state, or would name."""
    tokens = pointers.split(pointer)
    there = present(state, tokens)
    steps = list(Paths(state).down(pointers.join(tokens[:there])))
    lists, value = [], state
    for (path, _), token in zip(steps, tokens[:there], strict=False):
        if isinstance(value, list):
            lists.append(path)
        value = pointers.step(value, token)
    path = steps[-1][0]
    if there == len(tokens):
        return TrackedPath(path, tuple(lists))
    return TrackedPath(
        (*path, tokens[there]),
        tuple(lists),
        is_absent=True,
        rest=tuple(tokens[there + 1 :]),
        holder=None if isinstance(value, dict | list) and value else path,
    )


def change_key(key: bytes, state: Json, pointer: str) -> bytes:
    """Return the digest under which changes at a pointer are recorded.

    The state says which lists are on the way; a pointer into nothing is taken as the
    keys of objects.
    """
    found = track(state, pointer)
    whole = (*found.path, *found.rest) if found.is_absent else found.path
    return path_key(key, whole or tuple(pointers.split(pointer)))


def present(state: Json, tokens: list[str]) -> int:
    """Count the tokens of a pointer that lead somewhere."""
    for place, token in enumerate(tokens):
        if not pointers.has(state, token):
            return place
        state = pointers.step(state, token)
    return len(tokens)


def next_stop(
    key: bytes, session_id: str, high: int, tracked: TrackedPath, *, rollbacks: bool
) -> Stop | None:
    """Return the newest version, from `high` down its lineage, that has a say.

    The rollbacks on the way only if they are asked for; version 0 included.
    """
    found = sql.rows(
        NEXT_STOP,
        {
            "session": session_id,
            "high": high,
            "path": path_key(key, tracked.path),
            "lists": [path_key(key, path) for path in tracked.lists],
            "absent": tracked.is_absent,
            "holder": None if tracked.holder is None else path_key(key, tracked.holder),
            "skip": 0 if rollbacks else 1,
        },
    )
    return Stop(*found[0]) if found else None
