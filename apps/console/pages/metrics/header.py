"""The header of the page: links to other times, with or without a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from urllib.parse import urlencode

from apps.agents.models import Agent
from apps.metrics.ranges import WINDOWS, Range

# What says whose numbers, and when; all else belongs to the page alone.
WHEN = ("window", "from", "to", "zone")
ASKED = (*WHEN, "agent", "compare")
# What filters nothing in a list: it says when, or belongs to the numbers beside it.
WHEN_SHOWN = (*WHEN, "compare")


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    """One choice; the current one is where the reader is."""

    text: str
    query: str
    is_current: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Header:
    """Where the choices of the header lead. A query says all that is chosen."""

    windows: list[Link]
    compare: Link
    # The same time of one agent: its id is added; and of all agents.
    of_agent: str
    of_all: str
    is_custom: bool


def header(said: Mapping[str, str], found: Range, *, is_compared: bool) -> Header:
    """Return the links of a page that shows this time."""
    kept = {name: said[name] for name in ASKED if said.get(name)}
    alone = {name: value for name, value in kept.items() if name != "agent"}
    return Header(
        windows=[
            Link(
                text=_spaced(name),
                query=_query(_without(kept, *WHEN) | {"window": name}),
                is_current=found.name == name,
            )
            for name in WINDOWS
        ],
        compare=Link(
            text="",
            query=_query(
                kept | {"compare": "off"} if is_compared else _without(kept, "compare")
            ),
            is_current=is_compared,
        ),
        of_agent=_query(alone | {"agent": ""}),
        of_all=_query(alone),
        is_custom=found.name is None,
    )


def all_of(said: Mapping[str, str]) -> str:
    """Return the query of the same time, narrowed by nothing."""
    return _query({name: said[name] for name in WHEN_SHOWN if said.get(name)})


def export(found: Range, zone: tzinfo, agent: Agent | None, is_compared: bool) -> str:
    """Return the query of the files of this page: they are of this very time."""
    asked = {"from": found.start.isoformat(), "to": found.end.isoformat()}
    asked |= {"zone": str(zone)} | ({"agent": agent.id} if agent else {})
    return _query(asked | ({} if is_compared else {"compare": "off"}) | {"table": ""})


def _without(asked: Mapping[str, str], *names: str) -> dict[str, str]:
    return {name: value for name, value in asked.items() if name not in names}


def _query(asked: Mapping[str, str]) -> str:
    return f"?{urlencode(asked)}"


def _spaced(name: str) -> str:
    """Write the name of a window with a space before its unit."""
    return f"{name[:-1]} {name[-1]}"
