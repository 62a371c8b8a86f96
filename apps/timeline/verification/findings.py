"""The words of a verification: what was found, where, and the verdict on a session."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class Kind(StrEnum):
    """What does not hold. All but `derived` are part of the proof."""

    NUMBER = "number"  # a version is missing, or its parent is not the one before it
    ORIGIN = "origin"  # how it began does not fit, or what it was forked from is gone
    CHAIN = "chain"  # does not follow from the chain before it and the leaf
    LEAF = "leaf"  # does not follow from what the version claims
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
    """One thing that does not hold. `number` None: the session as a whole."""

    session_id: str
    number: int | None
    kind: Kind
    sentence: str

    def __str__(self) -> str:
        place = "" if self.number is None else f" v{self.number}"
        return f"{self.session_id}{place} ({self.kind}): {self.sentence}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """The verdict on the versions of a session that were looked at, oldest first.

    `chain_start` is the chain value before the first of them: the origin's for a fork.
    `has_more` says that a limit ended the pass; go on after `last_number`.
    """

    session_id: str
    versions: int
    bodies: int
    last_number: int | None
    has_more: bool
    chain_start: bytes
    chain_end: bytes
    broken: int
    first_broken: Finding | None
    derived: int
    first_derived: Finding | None

    @property
    def is_valid(self) -> bool:
        """Whether the proof holds; derived data has no part in it."""
        return self.first_broken is None
