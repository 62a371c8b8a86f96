"""The ledger: what is written, encoded, compared and appended in one transaction."""

from apps.timeline.ledger.appending import append

__all__ = ["append"]
