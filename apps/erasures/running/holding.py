"""The lock of an erasure: its row, held by each of its steps."""

from __future__ import annotations

from apps.erasures.models import Erasure


class Over(Exception):
    """Another sweep has ended it."""


def hold(erasure: Erasure) -> Erasure:
    """Hold an erasure's row until the transaction ends, and return it as it is now.

    Raises: Over.
    """
    found = Erasure.objects.select_for_update(of=("self",)).get(id=erasure.id)
    if found.is_done:
        raise Over
    return found
