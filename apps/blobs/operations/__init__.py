"""The verbs of blobs: ask what is missing, keep, name, take away."""

from apps.blobs.operations.collecting import collect, sweep_objects
from apps.blobs.operations.erasing import condemn_erased, mark_erased, take_erased
from apps.blobs.operations.keeping import Kept, keep, missing
from apps.blobs.operations.naming import name, renew, require_granted

__all__ = [
    "Kept",
    "collect",
    "condemn_erased",
    "keep",
    "mark_erased",
    "missing",
    "name",
    "renew",
    "require_granted",
    "sweep_objects",
    "take_erased",
]
