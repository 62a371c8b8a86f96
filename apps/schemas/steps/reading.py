"""Read the steps of a migration as they are declared, and refuse what is none.

Each has `op` and `at`, a pointer to where it is done: into the state or, below `each`,
into an item of the list. Pointers lead through objects; into lists leads `each`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from apps.core import json
from apps.core.errors import UnacceptableJson
from apps.core.json import Json
from apps.core.json.pointers import MAX_POINTER, shortened
from apps.diffs.changes import MISSING
from apps.schemas.errors import UnacceptableMigration

# In one migration, those of items among them.
MOST_STEPS = 100
# Lists within lists.
DEEPEST = 2
MOST_PAIRS = 500


class Op(StrEnum):
    """What a step does."""

    RENAME = "rename"  # a key, where it stands
    MOVE = "move"  # to another place
    REMOVE = "remove"
    DEFAULT = "default"  # a value where nothing stands
    MAP = "map"  # values to others
    CONVERT = "convert"  # to another type
    EACH = "each"  # steps for every item of a list


class Type(StrEnum):
    """What `convert` makes of a value; it loses nothing, or fails."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    LIST = "list"  # of the one value


# What each takes beside `op` and `at`, and whether it must.
TAKES: dict[Op, dict[str, bool]] = {
    Op.RENAME: {"to": True},
    Op.MOVE: {"to": True},
    Op.REMOVE: {},
    Op.DEFAULT: {"value": True},
    Op.MAP: {"values": True, "else": False},
    Op.CONVERT: {"to": True},
    Op.EACH: {"steps": True},
}
# Those that may be done to a whole item.
_ON_ITEMS = (Op.MAP, Op.CONVERT, Op.EACH)


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One step, and where it stands in its migration."""

    op: Op
    at: tuple[str, ...]
    place: str
    to: tuple[str, ...] = ()
    type: Type | None = None
    value: Json = None
    pairs: tuple[tuple[Json, Json], ...] = ()
    otherwise: Any = MISSING
    steps: tuple[Step, ...] = ()


def read_steps(said: Any, place: str = "/steps") -> tuple[Step, ...]:
    """Return the steps of a migration.

    Raises: UnacceptableMigration, with the place.
    """
    return _Reader().steps(said, place, depth=0)


class _Reader:
    """Reads steps and counts them."""

    def __init__(self) -> None:
        self._count = 0

    def steps(self, said: Any, place: str, *, depth: int) -> tuple[Step, ...]:
        if not isinstance(said, list) or not said:
            raise UnacceptableMigration("steps takes a list of steps.", param=place)
        self._count += len(said)
        if self._count > MOST_STEPS:
            raise UnacceptableMigration(
                f"A migration has at most {MOST_STEPS} steps.", param=place
            )
        return tuple(
            self._step(one, f"{place}/{index}", depth) for index, one in enumerate(said)
        )

    def _step(self, said: Any, place: str, depth: int) -> Step:
        if not isinstance(said, dict):
            raise UnacceptableMigration("A step is an object.", param=place)
        op = _op(said, place)
        _require_fields(op, said, place)
        at = _pointer(said.get("at"), f"{place}/at")
        if not at and not (depth and op in _ON_ITEMS):
            raise UnacceptableMigration(
                f"{op} takes a place below the whole value.", param=f"{place}/at"
            )
        more = {} if op is Op.EACH else _more(op, said, at, place)
        if op is Op.EACH:
            below = f"{place}/steps"
            if depth == DEEPEST:
                raise UnacceptableMigration(
                    f"Lists are {DEEPEST} deep at most.", param=below
                )
            more["steps"] = self.steps(said["steps"], below, depth=depth + 1)
        return Step(op=op, at=at, place=place, **more)


def _more(
    op: Op, said: Mapping[str, Any], at: Sequence[str], place: str
) -> dict[str, Any]:
    """Return what a step has beside its place."""
    match op:
        case Op.RENAME:
            return {"to": (_key(said["to"], f"{place}/to"),)}
        case Op.MOVE:
            return {"to": _target(said["to"], at, f"{place}/to")}
        case Op.CONVERT:
            return {"type": _type(said["to"], f"{place}/to")}
        case Op.DEFAULT:
            return {"value": said["value"]}
        case Op.MAP:
            pairs = _pairs(said["values"], f"{place}/values")
            return {"pairs": pairs, "otherwise": said.get("else", MISSING)}
        case _:
            return {}


def _op(said: Mapping[str, Any], place: str) -> Op:
    op = said.get("op")
    if not isinstance(op, str) or op not in list(Op):
        raise UnacceptableMigration(f"op takes {', '.join(Op)}.", param=f"{place}/op")
    return Op(op)


def _require_fields(op: Op, said: Mapping[str, Any], place: str) -> None:
    takes = TAKES[op]
    for name in said:
        if name not in ("op", "at", *takes):
            raise UnacceptableMigration(
                f"{op} takes no such field.", param=shortened(f"{place}/{name}")
            )
    for name, is_needed in takes.items():
        if is_needed and name not in said:
            raise UnacceptableMigration(f"{op} needs {name}.", param=f"{place}/{name}")


def _pointer(said: Any, place: str) -> tuple[str, ...]:
    if not isinstance(said, str):
        raise UnacceptableMigration("This takes a JSON pointer.", param=place)
    if len(said) > MAX_POINTER:
        raise UnacceptableMigration(
            f"A pointer has at most {MAX_POINTER} characters.", param=place
        )
    try:
        return tuple(json.segments(said))
    except UnacceptableJson as refused:
        raise UnacceptableMigration(refused.message, param=place) from None


def _key(said: Any, place: str) -> str:
    if not isinstance(said, str) or len(said) > MAX_POINTER:
        raise UnacceptableMigration("rename takes the new key.", param=place)
    return said


def _target(said: Any, at: Sequence[str], place: str) -> tuple[str, ...]:
    to = _pointer(said, place)
    shorter = min(len(to), len(at))
    if not to or to[:shorter] == tuple(at[:shorter]):
        raise UnacceptableMigration(
            "move takes another place, neither above nor below the first.", param=place
        )
    return to


def _type(said: Any, place: str) -> Type:
    if not isinstance(said, str) or said not in list(Type):
        raise UnacceptableMigration(f"to takes {', '.join(Type)}.", param=place)
    return Type(said)


def _pairs(said: Any, place: str) -> tuple[tuple[Json, Json], ...]:
    if not isinstance(said, list) or not 1 <= len(said) <= MOST_PAIRS:
        raise UnacceptableMigration(
            f"values takes 1 to {MOST_PAIRS} objects with from and to.", param=place
        )
    found = []
    for index, one in enumerate(said):
        if not isinstance(one, dict) or set(one) != {"from", "to"}:
            raise UnacceptableMigration(
                "This takes an object with from and to.", param=f"{place}/{index}"
            )
        found.append((one["from"], one["to"]))
    return tuple(found)
