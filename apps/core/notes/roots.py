"""What a note of ours says: which heads moved, after which note, and when.

Pure: text and back. Two lines alike cannot come of different heads, and a note is never
taken for a checkpoint of a transparency log, whose second line is a number.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from apps.core.notes.errors import NoteError

FORMAT = "stepback-roots/1"
NONE = "-"
LONGEST_WHY = 200


class Kind(StrEnum):
    """Whose chain a line is about."""

    SESSION = "session"
    # What people did in a project, or outside of any.
    RECORD = "record"


@dataclass(frozen=True, slots=True)
class Head:
    """The last link of a chain; without a number there is no such chain any more."""

    kind: Kind
    id: str
    number: int | None
    chain: bytes | None

    @property
    def stream(self) -> str:
        return f"{self.kind} {self.id}"

    @property
    def line(self) -> str:
        number = NONE if self.number is None else str(self.number)
        chain = NONE if self.chain is None else base64.b64encode(self.chain).decode()
        return f"{self.stream} {number} {chain}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Root:
    """One note: its place among the others, and the heads.

    With `went_back`, the database was put back, for the reason that is told, and the
    heads count in place of what was signed of these chains before.
    """

    origin: str
    number: int
    previous: bytes | None
    at: datetime
    heads: Sequence[Head]
    went_back: str | None = None

    def text(self) -> bytes:
        """Return the text that is signed."""
        previous = NONE
        if self.previous is not None:
            previous = base64.b64encode(self.previous).decode()
        lines = [
            self.origin,
            FORMAT,
            f"number {self.number}",
            f"previous {previous}",
            f"at {_written(self.at)}",
        ]
        if self.went_back is not None:
            lines.append(f"went-back {one_line(self.went_back)}")
        lines += [head.line for head in self.heads]
        return "".join(f"{line}\n" for line in lines).encode()


def digest(note: bytes) -> bytes:
    """Return what the next note says of this one: of all its bytes."""
    return hashlib.sha256(note).digest()


def parse(text: bytes) -> Root:
    """Read the text of a note whose signature holds.

    Raises: NoteError.
    """
    try:
        return _parsed(text.decode())
    except (ValueError, KeyError, binascii.Error, StopIteration) as error:
        raise NoteError("it does not say what our notes say") from error


def one_line(why: str) -> str:
    """Return a reason as a note can hold it: one line, printable, bounded."""
    kept = "".join(c if c.isprintable() else " " for c in why)
    return " ".join(kept.split())[:LONGEST_WHY] or NONE


def _parsed(text: str) -> Root:
    lines = iter(text.split("\n")[:-1])
    origin = next(lines)
    if next(lines) != FORMAT:
        raise ValueError(FORMAT)
    number = int(_field(next(lines), "number"))
    previous = _field(next(lines), "previous")
    at = datetime.fromisoformat(_field(next(lines), "at"))
    rest = list(lines)
    went_back = None
    if rest and rest[0].startswith("went-back "):
        went_back = _field(rest.pop(0), "went-back")
    return Root(
        origin=origin,
        number=number,
        previous=None if previous == NONE else _decoded(previous),
        at=at,
        heads=list(_heads(rest)),
        went_back=went_back,
    )


def _heads(lines: list[str]) -> Iterator[Head]:
    for line in lines:
        kind, id, number, chain = line.split(" ")
        yield Head(
            Kind(kind),
            id,
            None if number == NONE else int(number),
            None if chain == NONE else _decoded(chain),
        )


def _field(line: str, name: str) -> str:
    found, _, value = line.partition(" ")
    if found != name or not value:
        raise ValueError(name)
    return value


def _decoded(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def _written(at: datetime) -> str:
    utc = at.astimezone(UTC).replace(tzinfo=None)
    return utc.isoformat(timespec="microseconds") + "Z"
