"""Certificates of erasures as leaves of signed notes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import datetime

from apps.core.notes.roots import Head, Kind
from apps.erasures.journal import number_of
from apps.erasures.models import Erasure


def certificates(since: datetime | None) -> Iterator[Head]:
    """Yield the certificates since a moment: number and digest of each one's entry."""
    found = Erasure.objects.certified().ended_since(since).order_by("ended_at", "id")
    for id, entry in found.values_list("id", "entry"):
        data = bytes(entry or b"")
        digest = hashlib.sha256(data).digest()
        yield Head(Kind.CERTIFICATE, id, number_of(data), digest)
