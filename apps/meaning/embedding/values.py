"""What makes vectors of texts, and how it fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np

# Of longer texts the beginning counts.
LONGEST_TEXT = 2_000


class EmbeddingFailed(Exception):
    """No vectors came back; the text says why, to people, and quotes nothing."""


class TextsRefused(EmbeddingFailed):
    """The endpoint is there and does not take these texts; others it may."""


class Embedder(Protocol):
    """Makes vectors of texts.

    `name` is the model's: vectors of two models say nothing of each other. `near` is
    the cosine from which on two texts are near each other. `is_constant`: a text that
    has no vector will never have one. So many texts as `at_once` says are embedded
    before others get their turn, and `with_question` of them while somebody waits.
    """

    @property
    def name(self) -> str: ...

    @property
    def near(self) -> float: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def is_constant(self) -> bool: ...

    @property
    def at_once(self) -> int: ...

    @property
    def with_question(self) -> int: ...

    def begin(self, text: str) -> None:
        """Have a text embedded meanwhile, where that is worth a thread."""
        ...

    def known(self, text: str) -> np.ndarray[Any, np.dtype[np.float32]] | None:
        """Return the row that was made of a text a moment ago, if that is remembered.

        Only where another time would make the same.
        """
        ...

    def embed(
        self, texts: Sequence[str], *, seconds: float
    ) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Return a row of length one for each text; NaN where a text has none.

        Raises: EmbeddingFailed.
        """
        ...
