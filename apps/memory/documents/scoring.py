"""The scores of a search: of each memory the best, by meaning and by words."""

from __future__ import annotations

from dataclasses import dataclass, field

from apps.meaning.nearest import Neighbours


@dataclass(slots=True)
class Scores:
    """The best score of each memory, and how far was looked."""

    by_id: dict[str, float] = field(default_factory=dict)
    document_of: dict[str, str] = field(default_factory=dict)
    candidates: int = 0
    pending: int = 0
    stale: int = 0
    is_truncated: bool = False
    why: str | None = None

    def count(self, document_id: str, memory_id: str, score: float) -> None:
        self.by_id[memory_id] = max(score, self.by_id.get(memory_id, 0.0))
        self.document_of[memory_id] = document_id

    def count_looks(self, near: Neighbours) -> None:
        self.pending += near.pending
        self.stale += near.stale
        self.is_truncated = self.is_truncated or near.is_truncated

    @property
    def method(self) -> str:
        return "words" if self.why else "meaning_and_words"

    def leasts(self, limit: int, least: float) -> list[float]:
        """Return the score from which on is looked, and another if too few are kept.

        Where as many as are asked for are near by meaning, words have to beat the last
        of them: few memories have so many of a question's.
        """
        nearest_first = sorted(self.by_id.values(), reverse=True)
        enough = nearest_first[limit - 1 : limit]
        return [*(one for one in enough if one > least), least]
