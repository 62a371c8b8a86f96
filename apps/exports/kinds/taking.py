"""A session that is taken out into a folder of a zip file, and how its objects are
written: masked, unless everything was asked for."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from apps.accounts.models import Project
from apps.core import json
from apps.core.errors import DomainError
from apps.core.time.moments import utc_text
from apps.exports.kinds.made import Made
from apps.exports.telling.masking import masked_object
from apps.timeline.models import Session

# They open, or stand for, what is not the caller's to see.
SECRET = {"salt", "provider_key"}


@dataclass(kw_only=True, slots=True)
class Taking:
    """Where objects of one session, or of one person, go."""

    project: Project
    is_open: bool
    made: Made
    now: datetime
    folder: str = ""

    def add(self, name: str, objects: Iterable[dict[str, Any]]) -> None:
        """Write objects as lines of an entry; none where there are none."""
        lines = [written(one, is_open=self.is_open) + b"\n" for one in objects]
        if lines:
            self.made.entries.append((self.folder + name, b"".join(lines)))
            self.made.rows += len(lines)

    def add_bytes(self, name: str, data: bytes) -> None:
        self.made.entries.append((self.folder + name, data))
        self.made.rows += 1

    def add_rows(self, name: str, rows: Iterable[dict[str, Any]]) -> None:
        """Write rows of a table as they are kept."""
        self.add(name, [row_object(one, is_open=self.is_open) for one in rows])


@dataclass(kw_only=True, slots=True)
class TakingSession(Taking):
    """Where a session goes, and through which of its versions."""

    session: Session
    through: int
    # With all that is kept beside it, as an erasure takes it.
    is_whole: bool = False


def written(told: dict[str, Any], *, is_open: bool) -> bytes:
    """Write an object; stored JSON in it stays the bytes that it is, or is masked."""
    data = json.splice(told)
    if is_open:
        return data
    return json.dumps(masked_object(json.parse_written(data)))


def row_object(row: dict[str, Any], *, is_open: bool) -> dict[str, Any]:
    """Return a row as JSON; bytes that are no text stand in it only unmasked."""
    return {
        name: _value(value, is_open=is_open)
        for name, value in row.items()
        if name not in SECRET
    }


def _value(value: Any, *, is_open: bool) -> Any:
    if isinstance(value, bytes | memoryview):
        return _read(bytes(value), is_open=is_open)
    if isinstance(value, datetime):
        return utc_text(value)
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, list | tuple):
        return [_value(one, is_open=is_open) for one in value]
    if isinstance(value, str | int | float | bool | dict) or value is None:
        return value
    return str(value)


def _read(data: bytes, *, is_open: bool) -> Any:
    """Return what bytes say: JSON, a text or, unmasked, themselves in base64."""
    try:
        return json.parse(data)
    except DomainError:
        pass
    try:
        return data.decode()
    except UnicodeDecodeError:
        return base64.b64encode(data).decode() if is_open else None
