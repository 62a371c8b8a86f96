"""Which summaries fit a question: by meaning where there is a model, and by words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from apps.agents.hooks import nearness
from apps.timeline.models import Summary

# Of a question more is not looked at, nor of a summary: the model's own measure.
LONGEST = 2_000
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Fitting:
    """A summary, and how near a question it is, from 0 to 1."""

    summary: Summary
    similarity: float


def fitting(question: str, summaries: Sequence[Summary], *, most: int) -> list[Fitting]:
    """Return the summaries that are nearest to a question, the nearest first.

    Nearness is that of meaning or of words, whichever is higher: numbers and names
    hardly change what a text means.
    """
    asked = question[:LONGEST]
    texts = [one.text[:LONGEST] for one in summaries]
    near = nearness(asked, texts) or [0.0] * len(texts)
    wanted = _words(asked)
    found = [
        Fitting(
            summary=one,
            similarity=round(max(by_meaning, _share(wanted, one.text)), 4),
        )
        for one, by_meaning in zip(summaries, near, strict=True)
    ]
    return sorted(found, key=lambda one: -one.similarity)[:most]


def _share(wanted: set[str], text: str) -> float:
    """Return how many of the question's words are in a text."""
    return len(wanted & _words(text)) / len(wanted) if wanted else 0.0


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
