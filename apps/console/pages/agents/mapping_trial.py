"""What a mapping gives, shown on the newest sessions of its agent before it is kept.

Reads the heads of a few sessions; what they say is hostile, short and made visible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.accounts.models import Project
from apps.agents.mapping import Mapping
from apps.agents.models import Agent
from apps.agents.waiting import rule, rules
from apps.console import queries
from apps.console.pages.session import version_text
from apps.core.errors import DomainError
from apps.core.json import Json
from apps.diffs import pointers
from apps.diffs.facets import LIMIT, LONGEST_TEXT, facets
from apps.diffs.meaning.noise import noise_of
from apps.diffs.text import shorten, show
from apps.timeline.models import Session
from apps.timeline.queries import container
from apps.timeline.versions import (
    CorruptBody,
    VersionRow,
    fetch_bodies,
    heads_of,
    parsed_state,
)

TRIED = 5
# A larger state is named and not tried: this page is looked at again and again.
LARGEST = 1_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """What a pointer leads to in one state: what lists would show, or why nothing."""

    text: str = ""
    why_not: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """One session by a mapping; without a state where that is too large or damaged."""

    session: Session
    version: VersionRow
    is_read: bool
    title: Found | None = None
    user: Found | None = None
    waits: Sequence[str] = ()
    # What is said of its last change, noise apart.
    words: str = ""


def trials(
    project: Project, agent: Agent, mapping: Mapping, *, now: datetime
) -> list[Trial]:
    """Return the newest sessions of an agent as a mapping has them."""
    wanted = queries.SessionFilter(agent=agent.external_id)
    newest = queries.sessions(project, wanted, after_id=None, now=now)[:TRIED]
    heads = heads_of([session.id for session in newest])
    read = _readable(list(heads.values()))
    return [
        _trial(session, heads[session.id], mapping, is_read=session.id in read)
        for session in newest
        if session.id in heads
    ]


def _readable(heads: Sequence[VersionRow]) -> set[str]:
    small = [head for head in heads if head.size <= LARGEST]
    try:
        fetch_bodies(small)
    except CorruptBody:
        small = [head for head in small if _reads(head)]
    return {head.session_id for head in small}


def _reads(head: VersionRow) -> bool:
    try:
        fetch_bodies([head])
    except CorruptBody:
        return False
    return True


def _trial(
    session: Session, version: VersionRow, mapping: Mapping, *, is_read: bool
) -> Trial:
    words = version_text.headline(version, noise_of(mapping.noise))
    try:
        state = parsed_state(version) if is_read else None
    except DomainError:
        state = None
    if state is None:
        return Trial(session=session, version=version, is_read=False, words=words)
    return Trial(
        session=session,
        version=version,
        is_read=True,
        title=_found(state, mapping.title),
        user=_found(state, mapping.user),
        waits=_asking(state, mapping),
        words=words,
    )


def _found(state: Json, pointer: str | None) -> Found | None:
    if pointer is None:
        return None
    try:
        value = pointers.resolve(state, pointer)
    except KeyError:
        return Found(why_not="nothing is there")
    several = container(state, pointer)
    if several is not None:
        return Found(why_not=several)
    if value is None or (isinstance(value, str) and not value.strip()):
        return Found(why_not="it is empty")
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return Found(why_not=f"longer than the {LONGEST_TEXT} characters lists keep")
    if pointer not in facets(state):
        return Found(why_not=f"not among the first {LIMIT} short values lists keep")
    return Found(text=show(value, LONGEST_TEXT))


def _asking(state: Json, mapping: Mapping) -> list[str]:
    """Return the rules that a state meets, as they are written."""
    if mapping.waiting is None:
        return (
            ["the usual rules"] if any(one.holds(state) for one in rules(None)) else []
        )
    return [shorten(text, 100) for text in mapping.waiting if rule(text).holds(state)]
