"""How sure a memory is: what its sources said of it, and what somebody has decided.

Each source is kept with how sure it was, so a memory without one of them is what it
would be had that one never spoken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from apps.memory.documents.contents import (
    LEAST_CONFIDENCE,
    MOST_SOURCES,
    REINFORCEMENT,
    UNSURE,
    Content,
    Source,
)


def said_by(content: Content, source: Source) -> Content:
    """Return a new memory with its source, which is as sure as the memory."""
    return replace(content, source=replace(source, confidence=content.confidence))


def settled_at(content: Content, confidence: float) -> Content:
    """Return it as sure as somebody decided; what was said until then counts no more.

    Whoever said it stays its source.
    """
    return replace(
        content,
        confidence=confidence,
        settled=confidence,
        source=_unheard(content.source),
        reinforcements=tuple(_unheard(one) for one in content.reinforcements),
    )


def reinforced_by(content: Content, source: Source, confidence: float) -> Content:
    """Return it as it is after another source said the same, as sure as that."""
    known = _with_room(_with_base(content))
    surer, is_believed = _surer(
        (content.confidence, content.status == "believed"), confidence, content
    )
    return replace(
        known,
        confidence=surer,
        status="believed" if is_believed else content.status,
        reinforced=content.reinforced + 1,
        reinforcements=(
            *known.reinforcements,
            replace(source, confidence=confidence),
        ),
    )


def surer_by(content: Content, source: Source, confidence: float) -> Content:
    """Return a proposal as it is once one of its own sources is sure of it.

    What that source had said unsurely it says surely now. Where somebody has decided
    since, saying it again undoes nothing.
    """
    is_sure = confidence >= LEAST_CONFIDENCE
    if content.status != "proposed" or content.is_patch or not is_sure:
        return content
    sources = (content.source, *content.reinforcements)
    heard = [
        replace(one, confidence=confidence)
        if one.confidence is not None and not source.is_another_than([one])
        else one
        for one in sources
    ]
    first, *more = heard
    after = replace(content, source=first, reinforcements=tuple(more))
    return _resettled(after, heard) if after != content else content


def without(content: Content, session_id: str) -> Content:
    """Return a memory as it is without what that session said.

    What only that session said is dropped. What it had others believe is believed no
    more, unless another source or somebody's decision does.
    """
    sources = (content.source, *content.reinforcements)
    others = [one for one in sources if one.session_id != session_id]
    if not others:
        return replace(
            content, status="dropped", reinforcements=(), reinforced=0, near=()
        )
    lost = len(sources) - len(others)
    first, *more = others
    after = replace(
        content,
        source=first,
        reinforcements=tuple(more),
        reinforced=max(content.reinforced - lost, 0),
    )
    return _resettled(after, others) if _is_noted(content) else _less_sure(after, lost)


def _resettled(content: Content, sources: Sequence[Source]) -> Content:
    """Return it as sure as these sources make it, one after another."""
    heard = [one.confidence for one in sources if one.confidence is not None]
    first, *more = heard if content.settled is None else (content.settled, *heard)
    told = (first, first >= LEAST_CONFIDENCE and not content.is_patch)
    for confidence in more:
        told = _surer(told, confidence, content)
    status = content.status
    if content.is_standing:
        status = "believed" if told[1] else "proposed"
    return replace(content, confidence=told[0], status=status)


def _less_sure(content: Content, lost: int) -> Content:
    """Return one that was kept without how sure each source was."""
    doubt = (1 - content.confidence) / (1 - REINFORCEMENT) ** lost
    return replace(content, confidence=round(max(1 - doubt, 0.0), 4))


def _surer(
    told: tuple[float, bool], confidence: float, content: Content
) -> tuple[float, bool]:
    """Return how sure it is after one source more, and whether it is believed."""
    before, was_believed = told
    doubt = (1 - before) * (1 - REINFORCEMENT)
    surer = max(round(1 - doubt, 4), confidence)
    is_sure = confidence >= LEAST_CONFIDENCE and not content.is_patch
    if is_sure or was_believed:
        return surer, True
    return min(surer, UNSURE), False


def _with_base(content: Content) -> Content:
    """Return one that was kept without how sure its sources were as settled by now."""
    if _is_noted(content):
        return content
    is_believed = content.status == "believed"
    least = LEAST_CONFIDENCE if is_believed else 0.0
    base = settled_at(content, max(content.confidence, least))
    return replace(base, confidence=content.confidence)


def _with_room(content: Content) -> Content:
    """Return it without the oldest who said it again, where there are too many.

    What those had it be stays, and stays whosever is forgotten: nobody knows whose it
    was.
    """
    excess = len(content.reinforcements) + 1 - MOST_SOURCES
    if excess <= 0:
        return content
    old, kept = content.reinforcements[:excess], content.reinforcements[excess:]
    by_then = _resettled(content, (content.source, *old)).confidence
    return replace(
        content,
        settled=by_then,
        source=_unheard(content.source),
        reinforcements=kept,
    )


def _is_noted(content: Content) -> bool:
    return content.settled is not None or content.source.confidence is not None


def _unheard(source: Source) -> Source:
    return replace(source, confidence=None)
