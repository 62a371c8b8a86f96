"""The ledger: what is written, encoded, compared and appended in one transaction."""

from apps.timeline.ledger.appending import Append, Batch, append

__all__ = ["Append", "Batch", "append"]
