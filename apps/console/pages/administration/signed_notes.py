"""The newest signed note, who keeps notes too, and the keys: for the page on proof."""

from __future__ import annotations

from typing import Any

from apps.accounts.models import Membership, Role
from apps.core.errors import Busy
from apps.core.notes import keys
from apps.core.notes.errors import KeyRefused
from apps.witness.reading.queries import newest_roots
from apps.witness.witnesses.progress import witnesses


def signed_notes(membership: Membership) -> dict[str, Any]:
    """Return what the page shows; where witnesses are, administrators see alone."""
    try:
        known = keys.verifier_keys()
        newest = newest_roots(before=None, limit=1) if known else []
        kept_by = witnesses()
    except (Busy, KeyRefused, OSError) as error:
        return {"unread": str(error)}
    is_named = membership.role == Role.ADMIN
    return {
        "root": newest[0].root if newest else None,
        "keys": known,
        "witnesses": [
            {
                "name": one.place if is_named else f"Witness {number}",
                "progress": one,
                "error": one.error if is_named else "",
            }
            for number, one in enumerate(kept_by, 1)
        ],
    }
