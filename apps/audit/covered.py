"""What a chained record keeps of the row that its act left: a digest for each column.

An app says in a `Covered` which table, key and columns are meant; its operations put
`left` or `removed` into the record of the act, and `comparing` holds the last record
of each row against the row.

The digests are keyed with the project's secret: a record can be handed out, and nobody
finds the text of a note or the address of a webhook by guessing at it.
"""

from __future__ import annotations

import hmac
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

# Under this name it is in the details of a record; its event does not have it.
ROW = "row"
_CONTEXT = b"stepback audit row 1"


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """How an act left one row; `columns` None: the act removed it."""

    kind: str
    key: str
    columns: dict[str, str] | None

    def details(self) -> dict[str, Any]:
        """Return what the record says of it."""
        return {ROW: {"of": self.kind, "key": self.key, "columns": self.columns}}


@dataclass(frozen=True, kw_only=True, slots=True)
class Covered:
    """One kind of row that records cover.

    `present` is the statement that reads those of a project: `key`, `made_at` (when the
    row was made) and the columns. Its parameters are `project`, and `session`, which
    is null where all sessions are meant. A kind is `recorded_later` where the row
    comes without a record, which its first change writes.
    """

    kind: str
    columns: tuple[str, ...]
    key: Callable[[Any], str]
    named: Callable[[str], str]
    present: str
    of_session: bool = False
    recorded_later: bool = False
    # Says of a row that is missing whether a removal took it, by its key and by what
    # its last record says.
    went: Callable[[str, Mapping[str, Any]], bool] | None = None

    def left(self, row: Any, secret: bytes | memoryview) -> Row:
        """Say how the act has left this row, as it is stored."""
        key = self.key(row)
        values = {name: getattr(row, name) for name in self.columns}
        return Row(kind=self.kind, key=key, columns=self.digests(key, values, secret))

    def removed(self, row: Any) -> Row:
        """Say that the act has removed this row."""
        return Row(kind=self.kind, key=self.key(row), columns=None)

    def digests(
        self, key: str, values: dict[str, Any], secret: bytes | memoryview
    ) -> dict[str, str]:
        """Return the digest of each of these columns."""
        return {
            name: digest(bytes(secret), self.kind, key, name, value)
            for name, value in values.items()
        }


# Filled by each app, by kind.
COVERED: dict[str, Covered] = {}


def register(*covered: Covered) -> None:
    """Have these kinds of rows compared with their records."""
    COVERED.update({one.kind: one for one in covered})


def digest(secret: bytes, kind: str, key: str, column: str, value: Any) -> str:
    """Return HMAC-SHA256 of one value at its place, in hex.

    Each part is framed by its length, so no two values share an encoding.
    """
    parts = (_CONTEXT, kind.encode(), key.encode(), column.encode(), _encoded(value))
    return hmac.digest(secret, b"".join(map(_framed, parts)), "sha256").hex()


def _framed(part: bytes) -> bytes:
    return len(part).to_bytes(8, "big") + part


def _encoded(value: Any) -> bytes:
    match value:
        case None:
            return b"null"
        case bool() | int():
            return b"number" + str(int(value)).encode()
        case float():
            return b"double" + struct.pack(">d", value)
        case str():
            return b"text" + value.encode()
        case bytes() | memoryview():
            return b"bytes" + bytes(value)
        case datetime():
            at = value.astimezone(UTC).isoformat(timespec="microseconds")
            return b"moment" + at.encode()
        case Sequence():
            return b"list" + b"".join(_framed(_encoded(item)) for item in value)
    raise TypeError(f"Records cannot cover a {type(value).__name__}.")
