"""Names of backups: the moment they are of, so that names alone say which stay.

stepback-20261126T020000Z.backup
stepback-20261126T020000Z.backup.age
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

PLAIN, ENCRYPTED = ".backup", ".backup.age"
_FORMAT = "%Y%m%dT%H%M%SZ"
_NAME = re.compile(r"stepback-(\d{8}T\d{6}Z)\.backup(?:\.age)?")


def name_of(made_at: datetime, *, is_encrypted: bool) -> str:
    """Return the name of a backup that is made now."""
    suffix = ENCRYPTED if is_encrypted else PLAIN
    return f"stepback-{made_at.astimezone(UTC):{_FORMAT}}{suffix}"


def made_at(name: str) -> datetime | None:
    """Return of when a backup is; None of a name that is not one of ours."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    try:
        return datetime.strptime(found[1], _FORMAT).replace(tzinfo=UTC)
    except ValueError:
        return None
