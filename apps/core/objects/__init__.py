"""Objects outside the database, by name: in a folder, or in an S3-compatible store.

`store` is what others use, `opening` makes one of an address, `errors` is what can go
wrong. Names are ours, never those of callers; an object is written once, and whoever
finds its name taken compares.
"""

from apps.core.objects.errors import (
    AddressRefused,
    ObjectsAway,
    ObjectTaken,
    StoreFull,
)
from apps.core.objects.opening import is_s3, opened
from apps.core.objects.store import Objects

__all__ = [
    "AddressRefused",
    "ObjectTaken",
    "Objects",
    "ObjectsAway",
    "StoreFull",
    "is_s3",
    "opened",
]
