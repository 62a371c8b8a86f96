"""The rows of two sessions in words: plain, harmless text that a template places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from apps.console.pages.session import version_text
from apps.console.pages.session.timeline_rows import REASONING
from apps.diffs.meaning.noise import Noise
from apps.diffs.text import one_line, shorten, visible
from apps.timeline.stepping import ComparedSteps, Row, Step
from apps.timeline.versions import VersionRow

LONGEST_NAME = 80
LONGEST_ARGUMENTS = LONGEST_PLACE = 120
WORDS = {
    "=": "the same on both sides",
    "≈": "alike, as far as what was kept of the changes tells",
    "≠": "different",
    "only left": "only on the left",
    "only right": "only on the right",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class ToldStep:
    """One version in words, or one call."""

    number: int | None = None
    call: str = ""
    arguments: str = ""
    version: VersionRow | None = None
    operation: str = ""
    words: str = ""
    reasoning: str = ""
    flags: Sequence[str] = ()
    set_aside_by: int | None = None
    is_last: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """One row; `first` is the kind in which it is the first to differ."""

    row: Row
    left: ToldStep | None = None
    right: ToldStep | None = None
    first: str | None = None

    @property
    def mark(self) -> str:
        return self.row.mark

    @property
    def words(self) -> str:
        return WORDS[self.row.mark]

    @property
    def turn(self) -> int | None:
        return self.row.turn

    @property
    def said(self) -> tuple[str | None, str | None]:
        return self.row.said

    @property
    def kind(self) -> str | None:
        return self.row.kind

    @property
    def differs(self) -> bool:
        return self.row.kind is not None

    @property
    def anchor(self) -> str:
        return f"first-{self.first}"

    @property
    def place(self) -> str:
        """Where both begin to differ; nothing where that is all of it."""
        return visible(shorten(self.row.place or "", LONGEST_PLACE))


def told_rows(found: ComparedSteps, noise: Noise) -> list[Told]:
    """Write each row of a comparison, and mark the first that differ."""
    kinds = {id(one.row): one.kind for one in found.firsts}
    return [
        Told(
            row=row,
            left=_told(row.left, noise),
            right=_told(row.right, noise),
            first=kinds.get(id(row)),
        )
        for row in found.rows
    ]


def _told(step: Step | None, noise: Noise) -> ToldStep | None:
    if step is None:
        return None
    version = step.version
    if version is None:
        return ToldStep(
            number=step.number,
            call=visible(shorten(step.call, LONGEST_NAME)),
            arguments=shorten(step.arguments, LONGEST_ARGUMENTS),
        )
    return ToldStep(
        number=step.number,
        version=version,
        operation=version_text.operation(version),
        words=version_text.words(version, noise),
        reasoning=one_line(version.reasoning or "", REASONING),
        flags=version_text.flag_words(version, None, noise),
        set_aside_by=step.set_aside_by,
        is_last=step.is_last,
    )
