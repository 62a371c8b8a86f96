"""Provenance of a change: who made it, when, and under which request."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from apps.core.actors import Actor
from apps.core.errors import DomainError
from apps.core.ids import new_id


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """The request behind a change: its id, and how to recognise its repetition.

    `fault` is what is wrong with it, unless it was stored before: a repetition is
    answered as the first was, although rules have become stricter since.
    """

    id: str
    key: str | None = None
    digest: bytes = b""
    fault: DomainError | None = None

    def require_sound(self) -> None:
        """Raise the fault of a request that was not stored before."""
        if self.fault is not None:
            raise self.fault


@dataclass(frozen=True, kw_only=True, slots=True)
class Provenance:
    """Who acts, when, and under which request; copied into every record of it."""

    actor: Actor
    now: datetime
    request: Request


def unrequested(actor: Actor, now: datetime) -> Provenance:
    """Return the provenance of what no HTTP request asked for: a job, a command."""
    return Provenance(actor=actor, now=now, request=Request(id=new_id("req", now=now)))
