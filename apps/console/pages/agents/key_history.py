"""What was done to a key, the newest first, and what one of these changed.

Values are hostile texts: what is JSON is compared by its structure, all else line by
line, both within the bounds of what they are compared by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.console.pages.session import change_table, json_tree, version_text
from apps.console.pages.session.change_table import Compared
from apps.console.pages.session.differences import text_sides
from apps.console.pages.session.differences.text_sides import TextSides
from apps.core import json
from apps.core.errors import DomainError, NotFound
from apps.core.json import Json
from apps.data.operations.reading import VersionPage
from apps.diffs.readers import reader
from apps.timeline.queries import PastEntry
from apps.timeline.words import Cause, KeyedOp

PAGE = 20
LONGEST = 100_000


@dataclass(frozen=True, slots=True)
class Text:
    """A value as it is written on a page."""

    text: str
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that was done to the key."""

    entry: PastEntry
    words: str
    # What stands for the versions right below it that a policy removed.
    removed: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Changed:
    """What one version of the key changed. Of the three ways to say so one is used.

    `alone` is the value where there is none on the other side.
    """

    line: Line
    before: PastEntry | None
    # A value whose time is over is not shown any more.
    is_over: bool = False
    # Nor is one that a removal took.
    is_emptied: bool = False
    # What stood before it was removed, with its version.
    is_pruned: bool = False
    is_same: bool = False
    changes: Compared | None = None
    sides: TextSides | None = None
    alone: Text | None = None
    metadata: Compared | None = None
    # Whoever looks is not shown all: what looks equal may differ in what is masked.
    is_masked: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """A page of what was done; `older` is the version below which the next begins."""

    lines: Sequence[Line]
    changed: Changed
    older: int | None
    # What stands now, where the page has it.
    value: Text | None
    metadata: Text | None


def history(page: VersionPage, *, version: int | None) -> History:
    """Tell a page of a key's versions, and what one of them changed.

    Raises: NotFound for a version that is not on it, and where there is none.
    """
    if not page.entries:
        raise NotFound("This key's history has nothing below this version.")
    # The last that was read only says what the one above it changed.
    n_lines = min(PAGE, len(page.entries) - page.has_more)
    removed = {one["last_version"] + 1: one for one in page.removed}
    lines = [
        Line(one, words(one), removed.get(one.ordinal))
        for one in page.entries[:n_lines]
    ]
    at = _place(lines, version)
    before = page.entries[at + 1] if at + 1 < len(page.entries) else None
    newest = _body(page, lines[0].entry)
    return History(
        lines=lines,
        changed=_changed(page, lines[at], before),
        older=lines[-1].entry.ordinal if len(page.entries) > n_lines else None,
        value=None if newest is None else written(newest["value"]),
        metadata=_metadata(newest),
    )


def words(entry: PastEntry) -> str:
    """Say what was done."""
    if entry.cause == Cause.RESTORED:
        is_there = entry.body_number is not None
        return "Brought back" if is_there else "Removed by a restore"
    if entry.op == KeyedOp.REMOVE_PREFIX:
        return "Removed with all that begins alike"
    return {
        Cause.SET.value: "Set",
        Cause.REMOVED.value: "Removed",
        Cause.EXPIRED.value: "Its time was over",
    }[entry.cause]


def written(value: str) -> Text:
    """Write a value for reading: JSON over lines, the beginning of what is long."""
    parsed = structure(value)
    if parsed is not None:
        text, is_cut = version_text.beginning(parsed, LONGEST, indent=2)
    else:
        text, is_cut = json_tree.whole_text(value)
    return Text(version_text.visible_lines(text), is_cut)


def structure(value: str) -> Json:
    """Return an object or a list that a value spells as JSON; None for all else."""
    if value.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.parse(value.encode())
    except DomainError:
        return None


def _place(lines: Sequence[Line], version: int | None) -> int:
    if version is None:
        return 0
    for at, line in enumerate(lines):
        if line.entry.ordinal == version:
            return at
    raise NotFound("This page of the key's history has no such version.")


def _body(page: VersionPage, entry: PastEntry | None) -> dict[str, Any] | None:
    if entry is None or entry.body_number is None:
        return None
    return page.bodies.get(entry.body_number)


def _metadata(body: dict[str, Any] | None) -> Text | None:
    if not body or not body["metadata"]:
        return None
    text, is_cut = version_text.beginning(body["metadata"], LONGEST, indent=2)
    return Text(version_text.visible_lines(text), is_cut)


def _changed(page: VersionPage, line: Line, before: PastEntry | None) -> Changed:
    """Compare a version with the one before it."""
    was, now = _body(page, before), _body(page, line.entry)
    if line.removed is not None:
        return Changed(line=line, before=None, is_pruned=True)
    both = (before, line.entry)
    if any(one is not None and one.is_emptied for one in both):
        return Changed(line=line, before=before, is_emptied=True)
    is_over = any(
        one is not None and one.body_number is not None and _body(page, one) is None
        for one in both
    )
    if is_over:
        return Changed(line=line, before=before, is_over=True)
    if was is None or now is None:
        there = was or now
        alone = None if there is None else written(there["value"])
        return Changed(line=line, before=before, alone=alone)
    return _compared(line, before, was, now)


def _compared(
    line: Line, before: PastEntry | None, was: dict[str, Any], now: dict[str, Any]
) -> Changed:
    metadata = None
    if was["metadata"] != now["metadata"]:
        metadata = _structures(was["metadata"], now["metadata"], 0)
    told: dict[str, Any] = {"line": line, "before": before, "metadata": metadata}
    told["is_masked"] = reader() is not None
    if was["value"] == now["value"]:
        return Changed(**told, is_same=True)
    values = structure(was["value"]), structure(now["value"])
    if None in values:
        return Changed(**told, sides=text_sides.text_sides(was["value"], now["value"]))
    size = len(was["value"]) + len(now["value"])
    return Changed(**told, changes=_structures(*values, size))


def _structures(was: Json, now: Json, size: int) -> Compared:
    return change_table.compared(was, now, n_bytes=size)
