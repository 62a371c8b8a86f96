"""What is formed of a turn, before it is a memory that somebody decides about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from apps.core import json
from apps.memory.documents.contents import TAGS, UPDATE

# Of one turn.
MOST = 20
# Below what is believed: somebody has to accept it.
CONFIDENCE = 0.6


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposal:
    """A text that is to be proposed; of a state update with the patch that it is."""

    content: str
    type: str
    metadata: dict[str, Any] = field(default_factory=dict)
    confidence: float = CONFIDENCE
    by: str = TAGS

    @property
    def is_patch(self) -> bool:
        return self.by == TAGS and self.type == UPDATE


def written(proposals: Sequence[Proposal]) -> str:
    """Return proposals as they are kept until all of them are stored."""
    return json.dumps([asdict(one) for one in proposals]).decode()


def read(text: str) -> list[Proposal]:
    """Return the proposals that were kept."""
    kept: Any = json.parse_written(text.encode())
    return [Proposal(**one) for one in kept]
