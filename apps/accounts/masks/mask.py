"""One mask of a project, and the choices of which it is made."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Style(StrEnum):
    """How a masked value is drawn."""

    HIDE = "hide"
    LAST4 = "last4"  # of texts and numbers of 8 characters or more
    DIGEST = "digest"  # keyed by the project: equal values are drawn alike


class Pattern(StrEnum):
    """Which texts are masked wherever they stand."""

    EMAIL = "email"
    CARD = "card"  # with a valid check digit
    IBAN = "iban"  # likewise
    WORDS = "words"  # the mask's own, in upper or lower case


@dataclass(frozen=True, kw_only=True, slots=True)
class Mask:
    """One of a project's masks: at a place, or of a pattern."""

    style: Style
    pointer: str | None = None
    pattern: Pattern | None = None
    words: tuple[str, ...] = ()

    def said(self) -> dict[str, Any]:
        """Return the mask as it is stored and shown."""
        return {
            "pointer": self.pointer,
            "pattern": self.pattern and self.pattern.value,
            "words": [*self.words],
            "style": self.style.value,
        }
