"""Where two sessions parted: the last version that both share, along their forks.

A fork shares its origin up to the version it was made from; from its own version 0 on
it is apart. Origins are followed as far as the caller may see them and no further.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from typing import Any

from django.db import models

from apps.agents.scope import Scope
from apps.core import sql
from apps.timeline.errors import SessionNotFound

MAX_FORKS = 100

# Each session with its origins, nearest first; `number` is the last version of it that
# the session before in the chain has in it. Deletion is read from the head's hold.
CHAINS = sql.query("timeline", "divergence")


class Reason(models.TextChoices):
    """Why two sessions share no version that can be told."""

    NOT_FORKED = "not_forked"
    UNRELATED = "unrelated"
    HIDDEN = "hidden"
    TOO_DEEP = "too_deep"


@dataclass(frozen=True, slots=True)
class Common:
    """The last version that both share, and how many each has made since."""

    session_id: str
    number: int
    since: int
    other_since: int


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where two sessions parted; without a common version, why there is none."""

    session_id: str
    other_session_id: str | None
    common: Common | None = None
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A session, and the last version of it that the one before in the chain has."""

    session_id: str
    number: int
    # Below it, change rows do not tell everything; None: they do.
    thinned_below: int | None

    @property
    def place(self) -> tuple[str, int]:
        return self.session_id, self.number


@dataclass(frozen=True, slots=True)
class Chain:
    """A session and its origins; `end` is why it does not go on, None at the root."""

    links: tuple[Link, ...]
    end: Reason | None

    def since(self, common: Link) -> int:
        """Count the versions after the common one, along the chain."""
        made = 0
        for link in self.links:
            if link.session_id == common.session_id:
                return made + link.number - common.number
            made += link.number + 1
        raise LookupError(common.session_id)


def find_divergence(
    scope: Scope, session_id: str, other_id: str | None, *, now: datetime
) -> Divergence:
    """Tell where two sessions parted; None is the origin that the session is a fork of.

    Versions are counted by their numbers, whether or not a rollback set them aside.

    Raises: SessionNotFound, for either.
    """
    named = [session_id] if other_id is None else [session_id, other_id]
    chains = chains_of(scope, named, now)
    mine = chains[session_id]
    if other_id is not None:
        return _parted(mine, chains[other_id])
    if len(mine.links) == 1:
        return Divergence(session_id, None, reason=mine.end or Reason.NOT_FORKED)
    origin_id = mine.links[1].session_id
    return _parted(mine, chains_of(scope, [origin_id], now)[origin_id])


def chains_of(
    scope: Scope, session_ids: Sequence[str], now: datetime, *, with_over: bool = False
) -> dict[str, Chain]:
    """Return each session with the origins that the caller may see, nearest first.

    People see what was deleted or has expired as well, `with_over`; agents do not.

    Raises: SessionNotFound.
    """
    found = sql.rows(
        CHAINS,
        {
            "sessions": list(session_ids),
            "forks": MAX_FORKS,
            "project": scope.project.id,
            "agents": scope.agent_list,
            "now": now,
            "over": with_over,
        },
    )
    return {
        session_id: _chain([row for row in found if row.start == session_id])
        for session_id in session_ids
    }


def _chain(rows: Sequence[Any]) -> Chain:
    seen = list(takewhile(lambda row: row.is_visible, rows))
    if not seen:
        raise SessionNotFound
    links = tuple(Link(row.session_id, row.number, row.thinned_below) for row in seen)
    if seen[-1].origin_session_id is None:
        return Chain(links, None)
    # An origin without a row is gone with its retention: not to be seen either.
    is_cut = len(seen) > MAX_FORKS
    return Chain(links, Reason.TOO_DEEP if is_cut else Reason.HIDDEN)


def _parted(mine: Chain, theirs: Chain) -> Divergence:
    """Find the first session of one chain in the other: they are paths in a tree."""
    session_id, other_id = mine.links[0].session_id, theirs.links[0].session_id
    others = {link.session_id: link.number for link in theirs.links}
    shared = next((one for one in mine.links if one.session_id in others), None)
    if shared is None:
        # What goes on unseen may come from the other one's chain after all.
        reason = mine.end or theirs.end or Reason.UNRELATED
        return Divergence(session_id, other_id, reason=reason)
    number = min(shared.number, others[shared.session_id])
    common = Link(shared.session_id, number, shared.thinned_below)
    return Divergence(
        session_id,
        other_id,
        Common(common.session_id, number, mine.since(common), theirs.since(common)),
    )
