"""What decisions make of memories: of two in conflict, and of one that is proposed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum

from apps.memory.documents.contents import LEAST_CONFIDENCE, Content
from apps.memory.documents.sureness import settled_at


class Decision(StrEnum):
    """What becomes of a memory, and of another that it conflicts with."""

    KEEP = "keep"  # the other one stays, this one is dropped
    REPLACE = "replace"  # this one stays, the other one is replaced by it
    BOTH = "both"  # both stay: they do not conflict
    ACCEPT = "accept"  # it is believed
    DROP = "drop"  # it is taken back
    PROMOTE = "promote"  # it is the user's from here on, and outlives its session


# What makes a proposal believed, if it is one.
MAKES_BELIEVED = (Decision.ACCEPT, Decision.PROMOTE, Decision.REPLACE)
OF_TWO = (Decision.KEEP, Decision.REPLACE, Decision.BOTH)


def _keep(contents: list[Content]) -> list[Content]:
    mine, other = contents
    return [_taken_back(mine), _settled(other, mine)]


def _replace(contents: list[Content]) -> list[Content]:
    mine, other = contents
    gone = replace(other, status="replaced", replaced_by=mine.id, near=())
    return [believed(_settled(mine, other)), gone]


def _both(contents: list[Content]) -> list[Content]:
    mine, other = contents
    return [_settled(mine, other), _settled(other, mine)]


def _accept(contents: list[Content]) -> list[Content]:
    return [believed(contents[0])]


def _drop(contents: list[Content]) -> list[Content]:
    return [_taken_back(contents[0])]


def _settled(content: Content, other: Content) -> Content:
    """Return a memory without the flag that it is near another one."""
    near = tuple(one for one in content.near if one.id != other.id)
    return replace(content, near=near)


def believed(content: Content) -> Content:
    """Return a memory as it is once somebody has it believed."""
    surer = max(content.confidence, LEAST_CONFIDENCE)
    # Whose proposal it was, it is believed since by this decision.
    sure = settled_at(content, surer) if content.is_unsure else content
    return replace(sure, status="believed", replaced_by=None, confidence=surer)


def _taken_back(content: Content) -> Content:
    return replace(content, status="dropped", near=())


DECIDED: dict[Decision, Callable[[list[Content]], list[Content]]] = {
    Decision.KEEP: _keep,
    Decision.REPLACE: _replace,
    Decision.BOTH: _both,
    Decision.ACCEPT: _accept,
    Decision.DROP: _drop,
}
