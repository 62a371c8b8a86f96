"""What an administrator maps of an agent's states, and what may be mapped.

`title` and `user` are pointers to what lists call a session, and whose they say it is,
where the agent itself has said neither; they are looked up in the head when a list is
read, so a change shows at once and for all sessions. `waiting` are rules of what waits
for a person (`waiting.py`), `noise` patterns of places whose changes say little.

Agents keep no states: an app above enters here how it looks into the newest of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from apps.agents.models import Agent
from apps.agents.waiting import rule
from apps.core import json
from apps.core.errors import InvalidRequest
from apps.diffs import pointers
from apps.diffs.facets import LONGEST_POINTER
from apps.diffs.meaning.noise import ANY, Noise, noise_of
from apps.diffs.text import shorten

T = TypeVar("T")
MOST_RULES = 20
MOST_PATTERNS = 50
# A rule is a pointer, and a short value.
LONGEST_RULE = LONGEST_POINTER + 200

# Returns, of pointers, those that hold more than one value, and what to name instead.
Look = Callable[[Agent, Sequence[str], datetime], dict[str, str]]
LOOKS: dict[str, Look] = {}


@dataclass(frozen=True, kw_only=True, slots=True)
class Mapping:
    """One agent's mapping; `waiting` None are the usual rules, [] are none."""

    title: str | None = None
    user: str | None = None
    waiting: Sequence[str] | None = None
    noise: Sequence[str] = ()

    @property
    def as_shown(self) -> str:
        """Return what is another text for another mapping."""
        waiting = None if self.waiting is None else [*self.waiting]
        return json.fingerprint([self.title, self.user, waiting, [*self.noise]])

    def require(self) -> None:
        """Raises: InvalidRequest naming what cannot be mapped, and why."""
        _require_place("title", self.title)
        _require_place("user", self.user)
        _require_each("waiting", self.waiting or (), MOST_RULES, LONGEST_RULE, rule)
        _require_each(
            "noise",
            self.noise,
            MOST_PATTERNS,
            LONGEST_POINTER,
            lambda pattern: noise_of([pattern]),
        )


def mapping_of(agent: Agent) -> Mapping:
    """Return what is mapped of an agent."""
    return Mapping(
        title=agent.title_path,
        user=agent.user_path,
        waiting=agent.waiting,
        noise=agent.noise,
    )


def agents_noise(agent: Agent) -> Noise:
    """Return what is noise in the states of an agent."""
    return noise_of(agent.noise)


def require_values(agent: Agent, mapping: Mapping, *, now: datetime) -> None:
    """Raises: InvalidRequest where a title or user is an object or a list."""
    places = {"title": mapping.title, "user": mapping.user}
    named = {name: place for name, place in places.items() if place is not None}
    if not named:
        return
    for look in LOOKS.values():
        faults = look(agent, list(named.values()), now)
        for name, place in named.items():
            if place in faults:
                raise InvalidRequest(f"{name}: {faults[place]}", param=name)


def _require_place(name: str, pointer: str | None) -> None:
    if pointer is None:
        return
    _require_text(name, pointer, LONGEST_POINTER)
    tokens = _read(name, pointer, pointers.split)
    if not tokens:
        raise InvalidRequest(
            f"{name}: this is the whole state; name one value in it, as /user/id.",
            param=name,
        )
    if ANY in tokens:
        raise InvalidRequest(
            f"{name}: {shorten(pointer)} may be many values; name one, without *.",
            param=name,
        )


def _require_each(
    name: str,
    texts: Sequence[str],
    most: int,
    longest: int,
    read: Callable[[str], object],
) -> None:
    if len(texts) > most:
        raise InvalidRequest(f"{name}: at most {most} of them, please.", param=name)
    for text in texts:
        _require_text(name, text, longest)
        _read(name, text, read)


def _require_text(name: str, text: str, longest: int) -> None:
    if len(text) > longest or "\x00" in text:
        raise InvalidRequest(
            f"{name}: {shorten(text)} is not at most {longest} characters without NUL.",
            param=name,
        )


def _read(name: str, text: str, read: Callable[[str], T]) -> T:
    try:
        return read(text)
    except ValueError as fault:
        raise InvalidRequest(f"{name}: {shorten(text)}: {fault}", param=name) from None
