"""A write on its way through the ledger."""

from __future__ import annotations

from dataclasses import dataclass

from apps.agents.acts import Act
from apps.core.provenance import Request
from apps.timeline.ledger.drafts import Build, Expected
from apps.timeline.ledger.policies import Policy


@dataclass(frozen=True, kw_only=True, slots=True)
class WriteCommand:
    """One request to write to one session.

    `build` makes the write for the head that it is given; several are a batch, each
    given the item before it.
    """

    act: Act
    session_id: str
    build: Build | tuple[Build, ...]
    expected: Expected
    policy: Policy

    @property
    def request(self) -> Request:
        return self.act.request
