"""Who is told of every note, once each: apps enter themselves when they start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.core.notes.roots import Root


@dataclass(frozen=True, slots=True)
class Signed:
    """A note as it is in its file, and what it says."""

    note: bytes
    root: Root


# By the name under which it is reported. Called in the transaction that notes how far
# it was told.
Follower = Callable[[Sequence[Signed], datetime], None]
FOLLOWERS: dict[str, Follower] = {}
