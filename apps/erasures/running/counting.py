"""Count what an erasure's step removed, in the step's own transaction."""

from __future__ import annotations

from collections import Counter

from apps.erasures.models import Erasure


def count(locked: Erasure, gone: Counter[str]) -> None:
    """Add to what the certificate will say."""
    if gone:
        locked.counts = dict(sorted((Counter(locked.counts) + gone).items()))
        locked.save(update_fields=["counts"])
