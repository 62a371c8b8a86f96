"""What in a state says that its session waits for a person: rules of an agent. Pure.

A rule names a place, and what stands there when the session waits: `/escalated = true`
one value, `/pending_action` anything that is not empty (null, false, 0, "", [] or {}).
Without rules of its own an agent has those of StateBase's human-in-the-loop
conventions. What these keep beside a request (who was assigned, the id of a ticket, the
hash of a code) asks for nobody, and is none of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from apps.core import json
from apps.core.errors import DomainError
from apps.core.json import Json
from apps.diffs import pointers
from apps.diffs.equality import same

EQUALS = " = "
# Those of the usual rules by which an agent hands its session to people for good.
ESCALATING = frozenset({"escalated", "escalated_to_human"})
DEFAULT = (
    "/escalated = true",
    "/escalated_to_human = true",
    "/requires_confirmation = true",
    "/pending_action",
    "/pending_approval",
    '/approval_status = "pending"',
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One place, and the value that says so there; without one any but an empty one."""

    tokens: tuple[str, ...]
    is_any: bool
    value: Json = None

    def holds(self, state: Json) -> bool:
        """Return whether a state says so."""
        # Most states have no such key: asked of every write.
        if isinstance(state, dict) and self.tokens[0] not in state:
            return False
        try:
            for token in self.tokens:
                state = pointers.step(state, token)
        except KeyError:
            return False
        return bool(state) if self.is_any else same(state, self.value)

    def may_hold(self, written: bytes) -> bool:
        """Return whether a written state has such a key at all: without parsing it."""
        named = (one for one in self.tokens if not one.isdecimal())
        return all(json.dumps(one) in written for one in named)


Rules = tuple[Rule, ...]


def rule(text: str) -> Rule:
    """Read one rule; a value that is no JSON is the text that it says.

    Raises: ValueError for one that names no place, or compares with a container.
    """
    place, equals, said = text.partition(EQUALS)
    tokens = tuple(pointers.split(place.strip()))
    if not tokens:
        raise ValueError("A rule names a value in the state.")
    if not equals:
        return Rule(tokens, is_any=True)
    value = _value(said.strip())
    if isinstance(value, dict | list):
        fault = "A rule compares with a text, a number, true, false or null."
        raise ValueError(fault)  # noqa: TRY004
    return Rule(tokens, is_any=False, value=value)


@lru_cache(maxsize=1_024)
def _rules(texts: tuple[str, ...]) -> Rules:
    return tuple(rule(text) for text in texts)


def rules(texts: Iterable[str] | None) -> Rules:
    """Return the rules that are written so; None: the usual ones."""
    return _rules(DEFAULT if texts is None else tuple(texts))


def asks(state: Json, among: Rules) -> bool:
    """Return whether a state says that its session waits for a person."""
    return any(one.holds(state) for one in among)


def escalates(state: Json, among: Rules) -> bool:
    """Return whether a state says, by the rules it follows, that it is escalated."""
    if not isinstance(state, dict) or ESCALATING.isdisjoint(state):
        return False
    own = (one for one in among if len(one.tokens) == 1 and not one.is_any)
    return any(one.holds(state) for one in own if one.tokens[0] in ESCALATING)


def _value(said: str) -> Json:
    try:
        return json.parse(said.encode())
    except DomainError:
        return said
