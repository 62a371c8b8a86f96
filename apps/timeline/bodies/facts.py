"""What an agent remembers of the world: facts, of the part `facts` or of the state.

A fact has a key and a value, and may say where it is from, when it was observed, for
how many seconds it holds and how far a number may move. The part `facts` is a list of
such objects and held to its rules when it is written. Without one, what the state keeps
under `facts` or `observed_facts` is read as it is: a list of such objects, or an object
of them or of bare values by key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from apps.core import json
from apps.core.json import Json, State
from apps.core.time.moments import moment
from apps.diffs.equality import same
from apps.diffs.pointers import join
from apps.timeline.errors import UnacceptableFact

if TYPE_CHECKING:
    from apps.timeline.bodies.bundles import Part

PART = "facts"
# Under which keys a state may keep them; the first that has any counts.
IN_STATE = ("facts", "observed_facts")
MOST = 1_000
LONGEST_KEY = 200
LONGEST_SOURCE = 1_000
# Clocks differ: so far ahead of ours an observation may be.
SKEW = timedelta(minutes=1)
_MOMENTS = ("observed_at", "checked_at")
# Keywords of an object in the state that make it a fact, and not a value.
_VALUE = "value"


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """One fact; `place` is its index or key within what holds it."""

    key: str
    value: Json
    place: int | str
    # Whether an object with a value stands there, and not the bare value.
    is_object: bool = True
    source: str | None = None
    observed_at: datetime | None = None
    checked_at: datetime | None = None
    # Seconds, and how far a number may move.
    max_age: int | float | None = None
    tolerance: int | float | None = None

    @property
    def known_at(self) -> datetime | None:
        """When it was last known to be so."""
        return max(filter(None, (self.observed_at, self.checked_at)), default=None)

    def is_too_old(self, now: datetime) -> bool:
        """Say whether it is past its age; of what is from nowhere nobody knows."""
        if self.max_age is None:
            return False
        if self.known_at is None:
            return True
        return (now - self.known_at).total_seconds() > self.max_age

    def is_same(self, live: Json) -> bool:
        """Say whether a live value is this one, as near as it has to be."""
        if self.tolerance is not None and _is_number(self.value) and _is_number(live):
            return bool(
                abs(_exact(self.value) - _exact(live)) <= _exact(self.tolerance)
            )
        return same(self.value, live)


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """All facts of a version, and what holds them: the part, or a key of the state."""

    found: tuple[Fact, ...] = ()
    # Null: the part; else the key of the state.
    state_key: str | None = None
    held: Json = field(default=None)

    def by_key(self) -> dict[str, Fact]:
        return {one.key: one for one in self.found}

    def pointer(self, fact: Fact) -> str | None:
        """Return where a fact stands in the state; null where it does not."""
        if self.state_key is None:
            return None
        return join([self.state_key, fact.place])

    def renewed(
        self, live: Mapping[str, Json], confirmed: Iterable[str], at: str
    ) -> Json:
        """Return what holds them, with live values, and the confirmed marked as such.

        A confirmed one keeps its value: within its tolerance it must not creep away.
        """
        known, held = self.by_key(), self._copied()
        for key, value in live.items():
            fact = known[key]
            held[fact.place] = (
                {**held[fact.place], "value": value, "observed_at": at}
                if fact.is_object
                else value
            )
        for key in confirmed:
            fact = known[key]
            held[fact.place] = {**held[fact.place], "checked_at": at}
        return held

    def _copied(self) -> Any:
        return list(self.held) if isinstance(self.held, list) else dict(_of(self.held))


def check(facts: list[Json], now: datetime) -> None:
    """Hold the part to its rules.

    Raises: UnacceptableFact with the place.
    """
    if len(facts) > MOST:
        raise UnacceptableFact(f"There are at most {MOST:,} facts.", param=f"/{PART}")
    seen: dict[str, int] = {}
    for place, fact in enumerate(facts):
        at = f"/{PART}/{place}"
        if not isinstance(fact, dict):
            raise UnacceptableFact("A fact is an object with key and value.", param=at)
        key = _require_key(fact.get("key"), f"{at}/key")
        if _VALUE not in fact:
            raise UnacceptableFact("A fact has a value.", param=f"{at}/value")
        if seen.setdefault(key, place) != place:
            raise UnacceptableFact(
                f"Has the key of /{PART}/{seen[key]}.", param=f"{at}/key"
            )
        _check_about(fact, at, now)


def facts_of(parts: Iterable[Part], state: State) -> Facts:
    """Return the facts of a version, whose state was parsed already."""
    held = part_of(parts)
    if held:
        return Facts(found=tuple(_listed(held)), held=held)
    for key in IN_STATE:
        held = state.get(key)
        found = tuple(_listed(held))
        if found:
            return Facts(found=found, state_key=key, held=held)
    return Facts()


def part_of(parts: Iterable[Part]) -> Json:
    """Return what the part lists; null where there is none."""
    data = next((part.data for part in parts if part.name == PART), None)
    return json.parse_written(data) if data else None


def may_hold(state: bytes | memoryview) -> bool:
    """Say whether a written state may keep facts, without parsing it."""
    text = bytes(state)
    return any(f'"{key}"'.encode() in text for key in IN_STATE)


def _listed(held: Json) -> Iterator[Fact]:
    """Yield what can be read as a fact: the first of a key, so many at most."""
    entries: Iterable[tuple[int | str, Json]] = ()
    if isinstance(held, list):
        entries = enumerate(held[:MOST])
    elif isinstance(held, dict):
        entries = list(held.items())[:MOST]
    seen: set[str] = set()
    for place, value in entries:
        fact = _read(place, value)
        if fact is not None and fact.key not in seen:
            seen.add(fact.key)
            yield fact


def _read(place: int | str, value: Json) -> Fact | None:
    is_object = isinstance(value, dict) and _VALUE in value
    if isinstance(place, str):
        if not is_object:
            return Fact(key=place, value=value, place=place, is_object=False)
        return _fact(place, place, _of(value))
    if not is_object:
        return None
    key = _of(value).get("key")
    return _fact(key, place, _of(value)) if isinstance(key, str) else None


def _fact(key: str, place: int | str, said: Mapping[str, Json]) -> Fact:
    source, age, tolerance = (
        said.get(name) for name in ("source", "max_age", "tolerance")
    )
    return Fact(
        key=key,
        value=said[_VALUE],
        place=place,
        source=source if isinstance(source, str) else None,
        observed_at=_moment(said.get("observed_at")),
        checked_at=_moment(said.get("checked_at")),
        max_age=age if _is_amount(age) else None,
        tolerance=tolerance if _is_amount(tolerance) else None,
    )


def _check_about(fact: Mapping[str, Json], at: str, now: datetime) -> None:
    """Raises: UnacceptableFact."""
    source = fact.get("source")
    if source is not None and (
        not isinstance(source, str) or len(source) > LONGEST_SOURCE
    ):
        raise UnacceptableFact(
            f"A source is a text of at most {LONGEST_SOURCE:,} characters.",
            param=f"{at}/source",
        )
    for name in _MOMENTS:
        require_past(fact.get(name), now, f"{at}/{name}")
    for name, least in (("max_age", "seconds"), ("tolerance", "a number")):
        said = fact.get(name)
        if said is not None and not _is_amount(said):
            raise UnacceptableFact(
                f"{name} takes {least}, at least 0.", param=f"{at}/{name}"
            )


def require_past(said: Json, now: datetime, at: str) -> datetime | None:
    """Return when something was observed; null where that is not said.

    Raises: UnacceptableFact for what is no time, or is still to come.
    """
    if said is None:
        return None
    found = _moment(said)
    if found is None:
        raise UnacceptableFact(
            "This takes a time in ISO 8601, as in 2026-01-31T12:00:00Z.", param=at
        )
    if found > now + SKEW:
        raise UnacceptableFact("This fact is observed in the future.", param=at)
    return found


def _require_key(key: Json, at: str) -> str:
    if not is_key(key):
        raise UnacceptableFact(
            f"A key has 1 to {LONGEST_KEY} printable characters.", param=at
        )
    return str(key)


def is_key(key: Json) -> bool:
    return isinstance(key, str) and 0 < len(key) <= LONGEST_KEY and key.isprintable()


def _moment(said: Json) -> datetime | None:
    try:
        return moment(said) if isinstance(said, str) else None
    except (ValueError, OverflowError):
        return None


def _of(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_amount(value: Any) -> bool:
    return _is_number(value) and value >= 0


def _exact(value: Any) -> Decimal:
    """Return a number as it is written: 0.1 as a decimal, not as its double."""
    return Decimal(str(value))
