"""The short scalars of a state, by which a session is found.

Long values and those past the limit are left out, and it is told from which depth on;
what the state names as its objective is kept beside them, cut if it is long, and what a
customer says first in the messages that it keeps. Never a source of truth.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeGuard

from apps.diffs.changes import Json
from apps.diffs.graphemes import cut
from apps.diffs.meaning.sayings import title_from_messages
from apps.diffs.pointers import escape

LIMIT = 64
LONGEST_TEXT = 200
_FIRST_LONG_NUMBER: int = 10**200

Facet = str | int | float | bool | None

# A pointer made of long keys would outweigh every value it leads to.
LONGEST_POINTER = 300
# A wide state of long texts must not be walked to its end for 64 values.
_LOOKED_AT = 10_000
_CONTAINERS = frozenset((dict, list))
# Under these names the objective and the first words stand among the facets: no pointer
# begins so.
OBJECTIVE, OPENING = "objective", "opening"
MESSAGES = "messages"
_SAYS_IT = ("title", "text", "description")


@dataclass(frozen=True, slots=True)
class Leaves:
    """Pointers and the scalars there, as they are; `cut_depth` is None if all fit.

    Otherwise every short scalar above that depth is among them: `/a` has depth 1.
    `objective` is what the state says it is about, wherever the values are cut;
    `opening` what a customer says first in it.
    """

    values: dict[str, Facet]
    cut_depth: int | None
    objective: str | None = None
    opening: str | None = None


def facets(state: Json, limit: int = LIMIT) -> dict[str, Facet]:
    """Map pointers to scalars for jsonb, shallow ones first, at most `limit`.

    Strings of more than 200 characters are left out. NUL is shown as ␀; integers beyond
    64 bits and numbers that are not finite become text.
    """
    return cleaned(leaves(state, limit))


def leaves(state: Json, limit: int = LIMIT) -> Leaves:
    """Find the short scalars, shallow ones first, at most `limit`."""
    walk = _Walk(state, limit)
    for pointer, container in _opened(walk.waiting):
        look = walk.put_off if _is_of_containers(container) else walk.look_into
        if not look(pointer, container):
            return _leaves(walk.found, pointer.count("/") + 1, state)
    return _leaves(walk.found, None, state)


class _Walk:
    """What was found so far, and the containers whose turn comes, shallow ones first.

    Both methods return whether there was room for all that the container has.
    """

    __slots__ = ("found", "limit", "looked_at", "waiting")

    def __init__(self, state: Json, limit: int) -> None:
        self.found: dict[str, Facet] = {}
        self.limit = limit
        self.looked_at = 0
        self.waiting: list[tuple[str, Any]] = [("", state)]

    def look_into(self, pointer: str, container: Json) -> bool:
        # One loop: as generators within each other it took 10 ms for 10,000 values, of
        # every append to a large state.
        found, looked_at = self.found, self.looked_at
        for token, value in _entries(container):
            if len(found) >= self.limit or looked_at == _LOOKED_AT:
                return False
            looked_at += 1
            is_container = value.__class__ in _CONTAINERS
            if not (value if is_container else _is_short(value)):
                continue
            place = f"{pointer}/{escape(str(token))}"
            # What stands in a container would have a longer pointer still.
            if len(place) > LONGEST_POINTER:
                continue
            if is_container:
                self.waiting.append((place, value))
            else:
                found[place] = value
        self.looked_at = looked_at
        return True

    def put_off(self, pointer: str, containers: Json) -> bool:
        """Pass over a list that has no scalar itself.

        Of a conversation of thousands of messages the first few are all that is shown:
        to write each one's pointer took nine tenths of the time.
        """
        self.looked_at += len(containers)
        self.waiting.append((pointer, _All(containers)))
        return len(self.found) < self.limit and self.looked_at <= _LOOKED_AT


class _All:
    """A list of containers alone, whose turn is theirs."""

    __slots__ = ("containers",)

    def __init__(self, containers: list[Json]) -> None:
        self.containers = containers


def _opened(waiting: list[tuple[str, Any]]) -> Iterator[tuple[str, Json]]:
    """Give each container with its pointer; `waiting` grows while it is read."""
    for pointer, container in waiting:
        if container.__class__ is not _All:
            yield pointer, container
            continue
        for token, inner in enumerate(container.containers):
            place = f"{pointer}/{token}"
            if inner and len(place) <= LONGEST_POINTER:
                yield place, inner


def _is_of_containers(container: Json) -> TypeGuard[list[Json]]:
    return (
        container.__class__ is list
        and bool(container)
        and _CONTAINERS.issuperset(map(type, container))
    )


def _leaves(found: dict[str, Facet], cut_depth: int | None, state: Json) -> Leaves:
    kept = state.get(MESSAGES) if isinstance(state, dict) else None
    return Leaves(found, cut_depth, objective(state), title_from_messages(kept))


def objective(state: Json) -> str | None:
    """Return what a state says it is about: its `objective`, or the text in that."""
    value = state.get(OBJECTIVE) if isinstance(state, dict) else None
    said = [value]
    if isinstance(value, dict):
        said = [value.get(key) for key in _SAYS_IT]
    texts = [one for one in said if isinstance(one, str) and one.strip()]
    return cut(texts[0].lstrip(), LONGEST_TEXT) if texts else None


def cleaned(found: Leaves) -> dict[str, Facet]:
    """Make leaves safe for jsonb, objective and first words among them."""
    values = {clean_text(place): clean(value) for place, value in found.values.items()}
    for name, said in ((OBJECTIVE, found.objective), (OPENING, found.opening)):
        if said is not None:
            values[name] = clean_text(said)
    return values


def clean(value: Facet) -> Facet:
    """Make a scalar safe for jsonb."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else str(value)
    return value if math.isfinite(value) else str(value)


def clean_text(text: str) -> str:
    """Show NUL, which jsonb cannot hold, as ␀."""
    return text.replace("\x00", "␀")


def _entries(container: Json) -> Iterable[tuple[str | int, Json]]:
    if isinstance(container, dict):
        return container.items()
    return enumerate(container) if isinstance(container, list) else ()


def _is_short(value: Facet) -> bool:
    if type(value) is int:
        return -_FIRST_LONG_NUMBER < value < _FIRST_LONG_NUMBER
    return not isinstance(value, str) or len(value) <= LONGEST_TEXT
