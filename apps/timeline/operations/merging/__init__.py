"""Promote, revert, reapply and restore: a version with a second parent."""

from apps.timeline.operations.merging.appending import merge

__all__ = ["merge"]
