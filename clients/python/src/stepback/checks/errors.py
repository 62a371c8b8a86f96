# Written by make_sync.py from apps/checks/errors.py: do not edit.
"""What is wrong with a check that cannot be read, and where."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Where:
    """A character of a text (from 0), or a JSON pointer into a document."""

    position: int | None = None
    pointer: str | None = None

    def below(self, token: str | int) -> Where:
        """Return the place of a member of a document."""
        return Where(pointer=f"{self.pointer or ''}/{token}")


class CheckRefused(ValueError):
    """Refuse a check: what is wrong, where, and what was probably meant."""

    def __init__(
        self, message: str, where: Where, *, suggestion: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.suggestion = suggestion

    @property
    def sentence(self) -> str:
        """What is wrong, with its place and what was probably meant, for people."""
        place = self.where.pointer or "the top"
        if self.where.position is not None:
            place = f"character {self.where.position + 1}"
        meant = f" Did you mean {self.suggestion}?" if self.suggestion else ""
        return f"At {place}: {self.message}.{meant}"
