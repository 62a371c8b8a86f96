"""The preview of a merge: its conflicts in three columns, and all else folded.

Makes plain text of values; asks the database nothing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from apps.console.forms.investigating.merging import FOR_ALL, Given
from apps.console.pages.session import change_table
from apps.console.pages.session.change_table import Row, Side
from apps.console.pages.session.merging import drawing
from apps.core.json import Json
from apps.diffs.changes import MISSING, Change
from apps.diffs.meaning.noise import Noise
from apps.diffs.merging import Choice, Pick
from apps.diffs.merging import Side as By
from apps.diffs.pointers import parent
from apps.diffs.text import shorten
from apps.timeline.queries import (
    MergePreview,
    PartConflict,
    Promote,
    Restore,
    split_part,
)
from apps.timeline.words import Op

# Of conflicts and of one-sided changes, so many to a page.
SHOWN, LISTED = 20, 50
LONGEST = 600
# A value that is written into the field that changes it.
LONGEST_EDITED = 2_000
KIND_WORDS = {
    "value": "both set it, differently",
    "removed": "one removed what the other changed",
    "inserted": "both put items here",
    "order": "both arranged this list",
    "window": "both changed this stretch of the list",
    "moved": "moved by one, and moved or changed by the other",
    "opaque": "a checkpointer's own bytes: one side is taken whole",
}
JOINED = {
    Pick.OURS_THEIRS: "here, then there",
    Pick.THEIRS_OURS: "there, then here",
}
WORDS = {Pick.BASE: "before", Pick.OURS: "here", Pick.THEIRS: "there", **JOINED}
KEYS = {Pick.BASE: "0", Pick.OURS: "1", Pick.THEIRS: "2"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """What one side has there, and whether that was picked; nothing without a side."""

    word: str
    pick: Pick
    key: str
    may_pick: bool
    side: Side | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """One conflict as it is chosen; `edited` is what the field begins with."""

    id: str
    number: int
    place: str
    kind: str
    why: str
    columns: Sequence[Column]
    joined: Sequence[tuple[Pick, str]]
    picked: str
    may_edit: bool
    edited: str = field(repr=False)
    typed: str = field(repr=False)
    fault: str
    # What goes for all of its kind, where it is not chosen by itself: picked alone it
    # would be a choice of its own, and stay when the kind's changes.
    by_kind: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Alike:
    """Conflicts of one kind, to be chosen together."""

    kind: str
    why: str
    count: int
    picks: Sequence[tuple[Pick, str]]
    picked: str


@dataclass(frozen=True, kw_only=True, slots=True)
class OneSided:
    """What was changed without any conflict, by whom."""

    id: str
    words: str
    count: int
    rows: Sequence[tuple[str, Row]]


def told(found: MergePreview, given: Given, start: int, noise: Noise) -> dict[str, Any]:
    """Return the context of the preview."""
    conflicts = found.combined.conflicts
    start = min(start, max(len(conflicts) - 1, 0)) // SHOWN * SHOWN
    window = conflicts[start : start + SHOWN]
    comparison = drawing.result(found)
    known = {one.id for one in conflicts}
    chosen = {*given.choices, *given.faults}
    return {
        "found": found,
        "head": found.head,
        "theirs": found.sides.theirs,
        "base": found.sides.base,
        "conflicts": [
            _shown(one, number, found.choices, given)
            for number, one in enumerate(window, start + 1)
        ],
        "n_conflicts": len(conflicts),
        "n_unchosen": len(found.combined.unchosen),
        "alike": _alike(conflicts, given),
        "elsewhere": _elsewhere(given, known - {one.id for one in window}),
        "start": start,
        "end": start + len(window),
        "before": start - SHOWN if start else None,
        "after": start + SHOWN if start + SHOWN < len(conflicts) else None,
        "one_sided": _one_sided(found),
        "changes": None
        if comparison is None
        else change_table.told(comparison, shown=LISTED, noise=noise),
        "n_gone": len(chosen - known),
        "n_kept": len(chosen & known),
        "previewed": given.digest,
        "is_ready": not found.combined.unchosen
        and not found.is_nothing
        and not given.faults,
        "title_words": title(found),
        "verb_words": VERB_WORDS[found.request.op.value],
        "is_fork": isinstance(found.request, Promote),
        "is_restore": isinstance(found.request, Restore),
    }


VERB_WORDS = {
    "promote": "Bring it in",
    "revert": "Take it back",
    "reapply": "Bring it back",
    "restore": "Restore",
}


def title(found: MergePreview) -> str:
    """Ask what is about to be confirmed."""
    request = found.request
    if isinstance(request, Promote):
        return f"Bring in what the fork's v{found.sides.theirs.number} has made?"
    if isinstance(request, Restore):
        count = len(request.pointers)
        places = "1 place" if count == 1 else f"{count:,} places"
        return f"Restore {places} as v{request.version} has it?"
    details = request.details(found.sides)
    first, last = details["first_version"], details["last_version"]
    versions = f"v{first}" if first == last else f"v{first} to v{last}"
    if request.op == Op.REVERT:
        return f"Take back only {versions}?"
    return f"Bring back what {versions} had made?"


def _shown(
    one: PartConflict, number: int, choices: Mapping[str, Choice], given: Given
) -> Shown:
    at = parent(one.pointer) if one.length is not None else one.pointer
    values = drawing.drawn(one.part, at, [one.base, one.ours, one.theirs])
    sides = dict(zip((Pick.BASE, Pick.OURS, Pick.THEIRS), values, strict=True))
    picked = Pick.VALUE if one.id in given.faults else None
    if one.id in given.choices:
        picked = given.choices[one.id].pick
    of_kind = choices.get(one.id) if picked is None else None
    return Shown(
        id=one.id,
        number=number,
        place=_place(one),
        kind=one.kind,
        why=KIND_WORDS[one.kind],
        columns=[
            Column(
                word=WORDS[pick],
                pick=pick,
                key=KEYS[pick],
                may_pick=pick in one.picks,
                side=None if value is MISSING else change_table.written(value, LONGEST),
            )
            for pick, value in sides.items()
        ],
        joined=[(pick, word) for pick, word in JOINED.items() if pick in one.picks],
        picked=picked.value if picked else "",
        by_kind=WORDS[of_kind.pick] if of_kind else "",
        may_edit=Pick.VALUE in one.picks and not drawing.is_hidden(values),
        edited=_edited(sides[Pick.OURS]),
        typed=given.texts.get(one.id, ""),
        fault=given.faults.get(one.id, ""),
    )


def _edited(value: Json) -> str:
    """Return a value as it begins to be edited; nothing, where that is too long.

    In ASCII: no sign in it is one that cannot be seen.
    """
    text = "" if value is MISSING else json.dumps(value)
    return text if len(text) <= LONGEST_EDITED else ""


def _place(one: PartConflict) -> str:
    place = change_table.place(one.pointer)
    if one.part == "opaque":
        return "(what is kept beside the state)"
    if one.length:
        place = f"{place} and {one.length - 1:,} more" if one.length > 1 else place
    return place if one.part == drawing.STATE else f"{one.part}: {place}"


def _alike(conflicts: Sequence[PartConflict], given: Given) -> list[Alike]:
    """Return the kinds that more than one conflict is of, in their order."""
    counts = Counter(one.kind for one in conflicts)
    fitting: dict[str, set[Pick]] = {}
    for one in conflicts:
        fitting.setdefault(one.kind, set(one.picks)).intersection_update(one.picks)
    return [
        Alike(
            kind=kind,
            why=KIND_WORDS[kind],
            count=count,
            picks=[(pick, WORDS[pick]) for pick in FOR_ALL if pick in fitting[kind]],
            picked=given.kinds[kind].value if kind in given.kinds else "",
        )
        for kind, count in counts.items()
        if count > 1
    ]


def _elsewhere(given: Given, ids: set[str]) -> list[tuple[str, str]]:
    """Return the fields of conflicts that are chosen and on another page."""
    picked = {id: one.pick.value for id, one in given.choices.items()}
    picked |= dict.fromkeys(given.faults, Pick.VALUE.value)
    fields = [(f"c.{id}", pick) for id, pick in picked.items() if id in ids]
    fields += [(f"v.{id}", text) for id, text in given.texts.items() if id in ids]
    return fields


def _one_sided(found: MergePreview) -> list[OneSided]:
    words = {
        By.THEIRS: ("comes in", "come in"),
        By.OURS: ("was made here alone and stays", "were made here alone and stay"),
        By.BOTH: ("was made alike by both", "were made alike by both"),
    }
    counts = found.combined.sides()
    return [
        OneSided(
            id=side.value,
            words=words[side][counts[side] > 1],
            count=counts[side],
            rows=_rows(found, side),
        )
        for side in words
        if counts[side]
    ]


def _rows(found: MergePreview, side: By) -> list[tuple[str, Row]]:
    rows = []
    for one in found.combined.changes:
        if one.side is not side:
            continue
        part, pointer = split_part(one.pointer)
        before, after = drawing.drawn(part, pointer, [one.before, one.after])
        change = Change(pointer, one.kind, before, after)
        name = "" if part == drawing.STATE else shorten(part, 60)
        rows.append((name, change_table.row(change)))
        if len(rows) == LISTED:
            break
    return rows
