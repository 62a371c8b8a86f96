"""The words of a verification: what was found, where, and the verdict on a session."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class Kind(StrEnum):
    """What does not hold. All but `derived` are part of the proof."""

    NUMBER = (
        "number"  # a version, turn or record is missing, or a parent is another one
    )
    ORIGIN = "origin"  # how it began does not fit, or what it was forked from is gone
    CHAIN = "chain"  # does not follow from the chain before it and the leaf
    LEAF = "leaf"  # does not follow from what the version or turn claims
    TURN = "turn"  # names a version that cannot be the one it left as the head
    TEXT = "text"  # reasoning or step metadata is not what was digested
    TIME = "time"  # not stored when it was asked for, or before its predecessor
    HOLD = "hold"  # a session was held, released or written to as no verb does
    ROLLBACK = "rollback"  # does not show what the restored version shows
    BODY = "body"  # does not decode, or is not what was committed to
    UNREADABLE = "unreadable"  # holds values that no column of its kind can have
    SIGNATURE = "signature"  # not what was signed outside the database
    DERIVED = "derived"  # changes, flags, sizes, lists: can be rebuilt from bodies


# What a check says of the version that it was given.
Problem: TypeAlias = tuple[Kind, str]
Problems: TypeAlias = Iterator[Problem]


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One thing that does not hold: of a version, a turn, or the session as a whole."""

    session_id: str
    number: int | None
    kind: Kind
    sentence: str
    turn: int | None = None

    @property
    def place(self) -> str:
        """Name the version or the turn; empty for the session as a whole."""
        if self.turn is not None:
            return f"turn {self.turn}"
        return "" if self.number is None else f"v{self.number}"

    def __str__(self) -> str:
        where = " ".join(filter(None, (self.session_id, self.place)))
        return f"{where} ({self.kind}): {self.sentence}"


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnReport:
    """How far the turns of a session were verified, oldest first.

    `unchained` of them came before there was a chain of turns: nothing proves their
    content. `last_number` is 0 before the first turn.
    """

    count: int
    unchained: int
    last_number: int
    has_more: bool
    chain_start: bytes
    chain_end: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """The verdict on the versions of a session that were looked at, oldest first.

    `chain_start` is the chain value before the first of them: the origin's for a fork.
    Turns come after the last version. `has_more` says that a limit ended the pass; go
    on after `last_number` and the last of the `turns`.
    """

    session_id: str
    versions: int
    bodies: int
    last_number: int | None
    has_more: bool
    chain_start: bytes
    chain_end: bytes
    turns: TurnReport
    broken: int
    first_broken: Finding | None
    derived: int
    first_derived: Finding | None

    @property
    def is_valid(self) -> bool:
        """Whether the proof holds; derived data has no part in it."""
        return self.first_broken is None
