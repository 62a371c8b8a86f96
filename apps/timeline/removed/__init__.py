"""What stands in the place of what a removal took."""

from apps.timeline.removed.tombstones import Tombstone, details_of, runs

__all__ = ["Tombstone", "details_of", "runs"]
