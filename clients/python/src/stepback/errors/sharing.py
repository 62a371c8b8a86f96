"""Shared documents, leases, heartbeats: what keeps a write from landing."""

from __future__ import annotations

from stepback.errors.missing import NotFound
from stepback.errors.refused import Refused
from stepback.errors.requests import BadRequest


class SharedNotFound(NotFound):
    """There is no such document: the first write, or lease, makes it."""

    code = "shared_not_found"


class Leased(Refused):
    """Somebody holds the lease: write under it, or wait."""

    code = "leased"

    @property
    def holder(self) -> str | None:
        """Who holds it, as it calls itself."""
        found = self.details.get("holder")
        return None if found is None else str(found)

    @property
    def seconds_left(self) -> float:
        """How long at most it is held, if nobody renews it."""
        return float(self.details.get("seconds_left") or 0)


class LeaseLost(Refused):
    """You hold the document no more: read what changed, and take the lease again."""


class FenceStale(LeaseLost):
    """A newer fence was handed out, or this one never was."""

    code = "fence_stale"


class LeaseLapsed(LeaseLost):
    """The time of the lease is over, though nobody took it yet."""

    code = "lease_lapsed"


class HeartbeatNotFound(NotFound):
    """No heartbeat is expected here."""

    code = "heartbeat_not_found"


class UnacceptableHeartbeat(BadRequest):
    """This is no time within which anything can be expected."""

    code = "unacceptable_heartbeat"
