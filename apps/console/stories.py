"""Versions as people read them: what happened in words, and each change as a line.

Makes plain, harmless text out of hostile values; templates only place it. Makes no
HTML, and asks the database nothing.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from apps.core.json import Json, parse
from apps.diffs import pointers
from apps.diffs.changes import MISSING, Alignment, Change, Comparison, Kind
from apps.diffs.compare import compare
from apps.diffs.display import display
from apps.diffs.summary import sentences, summary
from apps.diffs.text import shorten, visible
from apps.timeline.lineage import set_aside_by
from apps.timeline.reading import VersionRow
from apps.timeline.words import Op

LONGEST_VALUE = 300
LONGEST_POINTER = 200
LINES_IN_LIST = 6
SENTENCES = 3
LINES_ON_PAGE = 200
REASONING_IN_LIST = 400
STATE_SHOWN = 100_000
# Where both states together are larger, only what was kept at the append is shown.
COMPARED_BYTES = 4_000_000
PAIRED_BYTES = 200_000

SIGNS = {
    Kind.ADDED: "+",
    Kind.REMOVED: "−",  # noqa: RUF001
    Kind.CHANGED: "~",
    Kind.TYPE_CHANGED: "~",
    Kind.MOVED: "↕",
}
KIND_WORDS = {Kind.TYPE_CHANGED: "changed type"}
OP_WORDS = {
    Op.CREATE: "created",
    Op.PAUSE: "paused",
    Op.RESUME: "resumed",
    Op.CLOSE: "closed",
    Op.DELETE: "deleted",
}
# What is said of a version without changes; the others should have had some.
UNCHANGED = {
    **dict.fromkeys((Op.PAUSE, Op.RESUME, Op.CLOSE, Op.DELETE), ""),
    Op.CREATE: "with an empty state",
    Op.FORK: "state copied unchanged",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One change: sign, pointer, and the values as short JSON (None: no such side)."""

    sign: str
    kind: str
    kind_word: str
    pointer: str
    from_pointer: str | None
    before: str | None
    after: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A version in a list."""

    version: VersionRow
    operation: str
    words: str
    lines: list[Line]
    n_more: int
    reasoning: str
    flags: list[str]
    labels: list[str]
    # The rollback that set this version aside; None for a live one.
    set_aside_by: int | None
    is_head: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Changes:
    """The changes of one version, all of them or the first."""

    words: str
    lines: list[Line]
    n_more: int
    is_coarse: bool


def entry(
    version: VersionRow,
    previous: VersionRow | None,
    *,
    live: Sequence[range],
    labels: list[str],
    head_number: int,
) -> Entry:
    """Tell one version; `previous` is the one before it, for sizes."""
    changes = kept_changes(version, shown=LINES_IN_LIST)
    reasoning = version.reasoning or ""
    if len(reasoning) > REASONING_IN_LIST:
        reasoning = reasoning[: REASONING_IN_LIST - 1] + "…"
    return Entry(
        version=version,
        operation=operation(version),
        words=changes.words,
        lines=changes.lines,
        n_more=changes.n_more,
        reasoning=reasoning,
        flags=flag_words(version, previous),
        labels=labels,
        set_aside_by=set_aside_by(live, version.number),
        is_head=version.number == head_number,
    )


def operation(version: VersionRow) -> str:
    """Say what kind of act made the version: "rollback to v3"."""
    if version.restored_number is not None:
        return f"rollback to v{version.restored_number}"
    return OP_WORDS.get(Op(version.op), version.op)


def flag_words(version: VersionRow, previous: VersionRow | None) -> list[str]:
    """Say what the version seems to have lost."""
    shrank = "state shrank"
    if previous is not None:
        shrank = f"state shrank from {size(previous.size)} to {size(version.size)}"
    words = {"keys_lost": "keys lost", "nulled": "turned null", "shrank": shrank}
    return [words.get(flag, visible(flag)) for flag in version.flags]


def kept_changes(version: VersionRow, *, shown: int) -> Changes:
    """Tell the changes from what the append kept of them: the first ones, short."""
    kept = [_restored(change) for change in version.changes]
    return Changes(
        words=_words(version, kept),
        lines=[_line(change) for change in kept[:shown]],
        n_more=version.change_count - min(shown, len(kept)),
        is_coarse=False,
    )


def compared(before: bytes, after: bytes) -> Changes:
    """Tell the changes between two states, exactly."""
    compares = display if len(before) + len(after) <= PAIRED_BYTES else compare
    comparison = compares(parse(before), parse(after))
    changes = comparison.changes
    return Changes(
        words=summary(comparison),
        lines=[_line(change) for change in changes[:LINES_ON_PAGE]],
        n_more=max(0, len(changes) - LINES_ON_PAGE),
        is_coarse=comparison.truncated,
    )


def pretty(state: bytes, *, longest: int = STATE_SHOWN) -> tuple[str, bool]:
    """Write a state for reading, and say whether it was cut.

    Written chunk by chunk, so that a large state costs no more than what is shown.
    """
    encoder = json.JSONEncoder(indent=2, ensure_ascii=False)
    chunks: list[str] = []
    length = 0
    for chunk in encoder.iterencode(parse(state)):
        chunks.append(chunk[: longest - length])
        length += len(chunk)
        if length > longest:
            return visible_lines("".join(chunks)), True
    return visible_lines("".join(chunks)), False


def visible_lines(text: str) -> str:
    """As `visible`, but line breaks stay."""
    return "\n".join(map(visible, text.replace("\r\n", "\n").split("\n")))


def size(n_bytes: int) -> str:
    """Write a number of bytes as people say it: "41 kB"."""
    if n_bytes < 1000:
        return f"{n_bytes} B"
    for unit in ("kB", "MB", "GB"):
        amount = n_bytes / 1000
        if amount < 1000 or unit == "GB":
            break
        n_bytes //= 1000
    return f"{amount:.1f} {unit}" if amount < 10 else f"{amount:.0f} {unit}"


def _words(version: VersionRow, kept: list[Change]) -> str:
    if not kept:
        return UNCHANGED.get(Op(version.op), "nothing changed")
    comparison = Comparison(None, None, tuple(kept), _alignments(kept))
    if version.change_count == len(kept):
        return summary(comparison)
    # What was kept cannot be subtracted: several changes may make one sentence.
    first = islice(sentences(comparison), SENTENCES)
    return "; ".join([*first, f"{version.change_count:,} changes in all"])


def _restored(kept: dict[str, Any]) -> Change:
    return Change(
        kept["pointer"],
        Kind(kept["kind"]),
        kept.get("before", MISSING),
        kept.get("after", MISSING),
        kept.get("from_pointer"),
    )


def _alignments(changes: list[Change]) -> tuple[Alignment, ...]:
    """Guess from the pointers what was a list, so that its items are counted.

    An object whose keys are numbers is counted alike, which reads no less true.
    """
    places = {
        pointers.parent(change.pointer)
        for change in changes
        if change.pointer.rpartition("/")[2].isdecimal()
    }
    return tuple(Alignment(place, place, ()) for place in sorted(places))


def _line(change: Change) -> Line:
    return Line(
        sign=SIGNS[change.kind],
        kind=change.kind.value,
        kind_word=KIND_WORDS.get(change.kind, change.kind.value),
        pointer=_pointer(change.pointer),
        from_pointer=_optional_pointer(change.from_pointer),
        before=_value(change.before),
        after=_value(change.after),
    )


def _pointer(pointer: str) -> str:
    return shorten(pointer, LONGEST_POINTER) or "(the state)"


def _optional_pointer(pointer: str | None) -> str | None:
    return None if pointer is None else _pointer(pointer)


def _value(value: Json) -> str | None:
    if value is MISSING:
        return None
    written = ""
    # By chunk: a changed container may be megabytes, of which the start is shown.
    for chunk in json.JSONEncoder(ensure_ascii=False).iterencode(value):
        written += chunk
        if len(written) > LONGEST_VALUE:
            break
    return shorten(written, LONGEST_VALUE)
