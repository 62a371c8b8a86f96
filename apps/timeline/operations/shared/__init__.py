"""Shared documents: states under a name, which agents of a project write together."""

from apps.timeline.operations.shared.leasing import (
    LONGEST_HOLDER,
    LONGEST_LEASE,
    Leasing,
    keep_lease,
    release_lease,
    take_lease,
)
from apps.timeline.operations.shared.writing import write_shared

__all__ = [
    "LONGEST_HOLDER",
    "LONGEST_LEASE",
    "Leasing",
    "keep_lease",
    "release_lease",
    "take_lease",
    "write_shared",
]
