"""What a note of ours says: which heads moved, after which note, and when.

Pure: text and back. Two lines alike cannot come of different heads, and a note is never
taken for a checkpoint of a transparency log, whose second line is a number.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum

from apps.core.notes import tree
from apps.core.notes.errors import NoteError

# The heads are lines of the note.
FORMAT = "stepback-roots/1"
# The heads are leaves of a tree; the note has its root, a file beside it the leaves.
TREE_FORMAT = "stepback-roots/2"
NONE = "-"
LONGEST_WHY = 200


class Kind(StrEnum):
    """Whose chain a line is about."""

    SESSION = "session"
    # What people did in a project, or outside of any.
    RECORD = "record"
    # What a removal left, by its digest; its id is of the session, and of the range.
    TOMBSTONE = "tombstone"
    # Of an erasure, by the digest of its entry in the journal.
    CERTIFICATE = "certificate"


# What goes on, and is signed again whenever it did; the rest is signed once.
CHAINED = (Kind.SESSION, Kind.RECORD)


@dataclass(frozen=True, slots=True)
class Head:
    """The last link of a chain; without a number there is no such chain any more.

    Of a tombstone or a certificate, `chain` is its digest.
    """

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

    @property
    def leaf(self) -> bytes:
        return self.line.encode()


@dataclass(frozen=True, slots=True)
class Tree:
    """What a note signs of its leaves: how many, and the root over them."""

    count: int
    root: bytes

    @classmethod
    def over(cls, heads: Sequence[Head]) -> Tree:
        return cls(len(heads), tree.root_of(tree.leaf_hash(one.leaf) for one in heads))


@dataclass(frozen=True, kw_only=True, slots=True)
class Root:
    """One note: its place among the others, and the heads.

    With `went_back`, the database was put back, for the reason that is told, and the
    heads count in place of what was signed of these chains before. Without a `tree` it
    is a note of format 1, from before there were trees.
    """

    origin: str
    number: int
    previous: bytes | None
    at: datetime
    heads: Sequence[Head]
    went_back: str | None = None
    tree: Tree | None = None

    def text(self) -> bytes:
        """Return the text that is signed."""
        previous = NONE
        if self.previous is not None:
            previous = base64.b64encode(self.previous).decode()
        lines = [
            self.origin,
            FORMAT if self.tree is None else TREE_FORMAT,
            f"number {self.number}",
            f"previous {previous}",
            f"at {_written(self.at)}",
        ]
        if self.went_back is not None:
            lines.append(f"went-back {one_line(self.went_back)}")
        if self.tree is None:
            lines += [head.line for head in self.heads]
        else:
            root = base64.b64encode(self.tree.root).decode()
            lines += [f"leaves {self.tree.count}", f"root {root}"]
        return "".join(f"{line}\n" for line in lines).encode()

    def leaves(self) -> bytes:
        """Return the file of the leaves: a line each."""
        return b"".join(head.leaf + b"\n" for head in self.heads)


def digest(note: bytes) -> bytes:
    """Return what the next note says of this one: of all its bytes."""
    return hashlib.sha256(note).digest()


def parse(text: bytes) -> Root:
    """Read the text of a note whose signature holds; with a tree, yet without leaves.

    Raises: NoteError.
    """
    try:
        return _parsed(text.decode())
    except (ValueError, KeyError, binascii.Error, StopIteration) as error:
        raise NoteError("it does not say what our notes say") from error


def with_leaves(root: Root, leaves: bytes | None) -> Root:
    """Return a note with the leaves of its tree, once they are those that it signed.

    Raises: NoteError.
    """
    if leaves is None:
        raise NoteError("its leaves are missing")
    lines = leaves.split(b"\n")
    signed = root.tree
    if signed is None or lines.pop() or len(lines) != signed.count:
        raise NoteError("its leaves are not as many as it signed")
    if tree.root_of(map(tree.leaf_hash, lines)) != signed.root:
        raise NoteError("its leaves are not those that it signed")
    try:
        return replace(root, heads=list(_heads(leaves.decode().split("\n")[:-1])))
    except (ValueError, KeyError, binascii.Error) as error:
        raise NoteError("its leaves do not say what our leaves say") from error


def one_line(why: str) -> str:
    """Return a reason as a note can hold it: one line, printable, bounded."""
    kept = "".join(c if c.isprintable() else " " for c in why)
    return " ".join(kept.split())[:LONGEST_WHY] or NONE


def _parsed(text: str) -> Root:
    lines = iter(text.split("\n")[:-1])
    origin = next(lines)
    form = next(lines)
    if form not in (FORMAT, TREE_FORMAT):
        raise ValueError(form)
    number = int(_field(next(lines), "number"))
    previous = _field(next(lines), "previous")
    at = datetime.fromisoformat(_field(next(lines), "at"))
    rest = list(lines)
    went_back = None
    if rest and rest[0].startswith("went-back "):
        went_back = _field(rest.pop(0), "went-back")
    signed = None
    if form == TREE_FORMAT:
        count, root = rest
        rest = []
        signed = Tree(int(_field(count, "leaves")), _decoded(_field(root, "root")))
    return Root(
        origin=origin,
        number=number,
        previous=None if previous == NONE else _decoded(previous),
        at=at,
        heads=list(_heads(rest)),
        went_back=went_back,
        tree=signed,
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
