"""Where the bytes are: `STEPBACK_OBJECTS`, or the folder `objects` beside the data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from django.conf import settings

from apps.blobs.errors import ObjectsFull, ObjectsUnavailable
from apps.core.objects import Objects, ObjectsAway, StoreFull, opened


@cache
def _opened(address: str) -> Objects:
    return opened(address)


def store() -> Objects:
    """Return the store of this process; nothing is asked of it yet.

    Raises: AddressRefused.
    """
    return _opened(settings.OBJECTS or str(settings.LOCATION.data_dir / "objects"))


@contextmanager
def asking() -> Iterator[Objects]:
    """Yield the store; what it cannot do is said in words of the domain.

    Raises: ObjectsFull, ObjectsUnavailable.
    """
    try:
        yield store()
    except StoreFull as error:
        raise ObjectsFull from error
    except ObjectsAway as error:
        raise ObjectsUnavailable from error
