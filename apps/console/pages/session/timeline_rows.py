"""The timeline as rows: versions, the turns, notes and forks beside them, and folds.

Nothing disappears: what is folded stands inside its fold, and what a rollback set aside
stays where it was. Makes plain text and asks the database nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from apps.console.pages.session import verdict, version_text
from apps.console.pages.session.gaps import Gap
from apps.core import json
from apps.core.json import Json
from apps.diffs.meaning.noise import NO_NOISE, Noise
from apps.diffs.text import one_line, visible
from apps.timeline.queries import Annotation, ListedTurn, calls_in_turn
from apps.timeline.versions import CorruptBody, VersionRow, set_aside_by
from apps.timeline.words import Op

# Of a row; the whole stands on the page of its version.
SAID = 100
NAMED_CALLS = 3
OWN_TRACE = "trace_"
REASONING = 160
# A burst: so many versions of one writer, each so soon after the one before.
BURST = 6
SOON = timedelta(seconds=2)
QUIET = 2
ERASED = "its contents were erased"
FOLDABLE = frozenset({Op.UPDATE, Op.REPLACE, Op.TURN})


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """What was said, shortened, and which tools were called.

    `is_unreadable`: what is stored of it is not what was written.
    """

    number: int
    at: datetime
    heard: str = ""
    said: str = ""
    calls: list[str] = field(default_factory=list)
    n_more_calls: int = 0
    is_unreadable: bool = False
    is_erased: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """What somebody wrote; about the session where it stands alone."""

    text: str
    actor: str
    at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Version:
    """One version with all that stands at it."""

    kind: str = "version"
    version: VersionRow
    operation: str
    words: str
    reasoning: str
    flags: list[str]
    # The rollback that set this version aside; None for a live one.
    set_aside_by: int | None
    is_head: bool
    is_selected: bool
    is_restored: bool
    # The version to go back to, where this one looks wrong.
    before: int | None = None
    labels: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    forks: list[str] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    # Turns are listed newest first up to a number: at this version some were left out.
    may_have_more_turns: bool = False

    @property
    def number(self) -> int:
        return self.version.number

    @property
    def trace(self) -> str | None:
        """Return the trace id that its writer gave; our own says nothing in a row."""
        given = self.version.trace_id
        return None if given.startswith(OWN_TRACE) else given

    @property
    def is_plain(self) -> bool:
        """Whether nothing at it asks for attention, so that it may be folded."""
        return (
            self.version.op in FOLDABLE
            and not (self.flags or self.labels or self.notes or self.forks)
            and not self.version.is_emptied
            and not (self.is_head or self.is_restored or self.may_have_more_turns)
        )

    @property
    def is_quiet(self) -> bool:
        return self.is_plain and not self.version.change_count and not self.turns


@dataclass(frozen=True, kw_only=True, slots=True)
class Fold:
    """Successive versions that tell little one by one."""

    kind: str = "fold"
    rows: list[Version]
    words: str

    @property
    def is_open(self) -> bool:
        return any(row.is_selected for row in self.rows)

    @property
    def is_aside(self) -> bool:
        return all(row.set_aside_by is not None for row in self.rows)


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionNote:
    """A note on the session, at the time when it was written."""

    kind: str = "note"
    note: Note


Row = Version | Fold | SessionNote | Gap


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """What is known besides the versions themselves."""

    live: Sequence[range]
    annotations: Sequence[Annotation]
    turns: Sequence[ListedTurn]
    has_all_turns: bool
    head_number: int
    selected: int | None
    noise: Noise = NO_NOISE
    gaps: Sequence[Gap] = ()


def timeline(
    shown: Sequence[VersionRow], previous: Sequence[VersionRow | None], facts: Facts
) -> list[Row]:
    """Return the rows, newest first; `previous` are the versions before, for sizes."""
    rows = [
        _version(version, before, facts)
        for version, before in zip(shown, previous, strict=True)
    ]
    folded = [row for some in _runs(rows) for row in _folded(some)]
    told = list(_with_notes(folded, facts.annotations))
    return list(_with_gaps(told, facts.gaps))


def turn(listed: ListedTurn) -> Turn:
    """Shorten a turn; one that is too large for a list says how large it is."""
    number, at = listed.turn_number, listed.created_at
    if listed.data is None:
        size = version_text.size(listed.size)
        return Turn(number=number, at=at, said=f"{size}, shown with its version")
    if listed.is_emptied:
        return Turn(number=number, at=at, is_erased=True)
    try:
        parts = listed.parts()
    except CorruptBody:
        return Turn(number=number, at=at, is_unreadable=True)
    named = [call.name for call in calls_in_turn(parts)]
    is_call = _type(parts["input"]) == "tool_call"
    return Turn(
        number=number,
        at=at,
        heard="" if is_call else _said(parts["input"]),
        said=_said(parts["output"]),
        calls=[visible(name) for name in named[:NAMED_CALLS]],
        n_more_calls=max(0, len(named) - NAMED_CALLS),
    )


def _version(version: VersionRow, before: VersionRow | None, facts: Facts) -> Version:
    at = [one for one in facts.annotations if one.number == version.number]
    return Version(
        version=version,
        operation=version_text.operation(version),
        words=ERASED
        if version.is_emptied
        else version_text.words(version, facts.noise),
        reasoning=one_line(version.reasoning or "", REASONING),
        flags=version_text.flag_words(version, before, facts.noise),
        set_aside_by=set_aside_by(facts.live, version.number),
        is_head=version.number == facts.head_number,
        is_selected=version.number == facts.selected,
        before=verdict.way_back(version, facts.live),
        is_restored=any(one.stop - 1 == version.number for one in facts.live),
        labels=sorted(one.text for one in at if one.kind == "label"),
        notes=[_note(one) for one in at if one.kind == "note"],
        forks=[one.text for one in at if one.kind == "fork"],
        turns=[turn(one) for one in facts.turns if one.head_number == version.number],
        may_have_more_turns=not facts.has_all_turns
        and version.number <= facts.turns[-1].head_number,
    )


def _note(one: Annotation) -> Note:
    return Note(text=one.text, actor=one.actor, at=one.created_at)


def _runs(rows: Iterable[Version]) -> Iterator[list[Version]]:
    """Cut between rows of different writers, and where it took longer than soon."""
    run: list[Version] = []
    for row in rows:
        if run and not _belongs(run[-1], row):
            yield run
            run = []
        run.append(row)
    if run:
        yield run


def _belongs(newer: Version, older: Version) -> bool:
    if newer.is_quiet and older.is_quiet:
        return True
    return (
        newer.is_plain
        and older.is_plain
        and newer.is_quiet == older.is_quiet
        and newer.version.actor_id == older.version.actor_id
        and newer.version.created_at - older.version.created_at <= SOON
    )


def _folded(run: list[Version]) -> list[Row]:
    low, high = run[-1].number, run[0].number
    where = f"v{low}–v{high}"  # noqa: RUF001
    if len(run) >= QUIET and all(row.is_quiet for row in run):
        return [Fold(rows=run, words=f"{len(run):,} quiet versions, {where}")]
    if len(run) >= BURST and all(row.is_plain for row in run):
        took = run[0].version.created_at - run[-1].version.created_at
        words = f"{len(run):,} versions within {took.total_seconds():.0f} s, {where}"
        return [Fold(rows=run, words=words)]
    return list(run)


def _with_notes(rows: list[Row], annotations: Sequence[Annotation]) -> Iterator[Row]:
    """Put notes on the session between the rows before and after they were written."""
    notes = [one for one in annotations if one.kind == "note" and one.number is None]
    notes.sort(key=lambda one: one.created_at, reverse=True)
    for row in rows:
        newest = row.rows[0] if isinstance(row, Fold) else row
        if isinstance(newest, Version):
            while notes and notes[0].created_at >= newest.version.created_at:
                yield SessionNote(note=_note(notes.pop(0)))
        yield row
    yield from (SessionNote(note=_note(one)) for one in notes)


def _with_gaps(rows: list[Row], gaps: Sequence[Gap]) -> Iterator[Row]:
    """Put what was removed between the rows around it."""
    left = list(gaps)
    for row in rows:
        newest = row.rows[0] if isinstance(row, Fold) else row
        while left and isinstance(newest, Version) and left[-1].last > newest.number:
            yield left.pop()
        yield row
    yield from reversed(left)


def _type(side: bytes) -> Json:
    return json.parse(side).get("type")


def _said(side: bytes) -> str:
    said = json.parse(side).get("content")
    if said is None:
        return ""
    return one_line(said if isinstance(said, str) else json.dumps(said).decode(), SAID)
