"""Whence sessions come, read for many at once: whoever looks into each in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.agents.scope import Scope
from apps.timeline.queries.divergence import Chain, chains_of
from apps.timeline.versions.lineage import live_ranges_each


@dataclass(frozen=True, slots=True)
class Ancestry:
    """The forks that led to each session, and what is live as seen from each of those.

    `live` is by session and number.
    """

    chains: Mapping[str, Chain]
    live: Mapping[tuple[str, int], Sequence[range]]


def ancestry_of(scope: Scope, session_ids: Sequence[str], *, now: datetime) -> Ancestry:
    """Return whence sessions come, by two statements for all of them.

    Raises: SessionNotFound, for any of them.
    """
    chains = chains_of(scope, session_ids, now)
    places = {link.place for chain in chains.values() for link in chain.links}
    return Ancestry(chains, live_ranges_each(places))
