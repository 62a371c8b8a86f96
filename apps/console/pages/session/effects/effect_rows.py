"""Effects as pages show them: cut, with no character that moves others about."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.diffs.readers import drawn_value
from apps.diffs.text import visible
from apps.timeline.queries import Answering, CrossedEffect, EffectRow
from apps.timeline.words import CompensationStatus, EffectClass, EffectStatus

LONGEST = 300
CLASSES = {
    EffectClass.READ: "changes nothing",
    EffectClass.REVERSIBLE: "can be undone",
    EffectClass.COMPENSABLE: "can be made up for",
    EffectClass.IRREVERSIBLE: "cannot be undone",
}
STATUSES = {
    EffectStatus.BEGUN: "begun, not finished",
    EffectStatus.DONE: "done",
    EffectStatus.FAILED: "failed: nothing happened",
    EffectStatus.UNKNOWN: "unknown: it may have happened",
    EffectStatus.REUSED: "answered from the record",
}
OWED = {
    CompensationStatus.OPEN: "to be put right",
    CompensationStatus.REQUESTED: "asked for",
    CompensationStatus.DONE: "put right",
    CompensationStatus.FAILED: "could not be put right",
    CompensationStatus.WAIVED: "stays as it is",
}
CLOSED = (CompensationStatus.DONE, CompensationStatus.WAIVED)


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One effect on a page; `owed` says what became of what is owed for it.

    `source` is what answered it from the record, if something did.
    """

    id: str
    key: str
    tool: str
    class_words: str
    is_declared: bool
    is_irreversible: bool
    status_words: str
    is_unknown: bool
    is_settleable: bool
    attempt: int
    number: int
    arguments: str
    result: str
    external_id: str
    undo: str
    undo_until: datetime | None
    at: datetime
    reason: str
    owed: str
    is_owed: bool
    owed_reason: str
    source: Answering | None = None
    is_answered_here: bool = False


def listed(effect: EffectRow, owed: CrossedEffect | None) -> Row:
    """Return an effect of the session's list, with what is owed for it."""
    source = effect.source
    return Row(
        **_shared(effect),
        is_settleable=effect.status == EffectStatus.UNKNOWN,
        number=effect.number,
        arguments=_cut(effect.arguments),
        result=_cut(effect.result) or visible(effect.result_reference or ""),
        external_id=visible(effect.external_id or ""),
        undo=_cut(effect.undo),
        at=effect.updated_at,
        reason=visible(effect.reason or ""),
        source=source,
        is_answered_here=source is not None and source.session_id == effect.session_id,
        **_owed(owed),
    )


def crossed(effect: CrossedEffect) -> Row:
    """Return an effect that a rollback would go behind."""
    return Row(
        **_shared(effect),
        is_settleable=False,
        number=effect.head_number,
        arguments=_cut(effect.arguments_start),
        result="",
        external_id="",
        undo=_cut(effect.undo_start),
        at=effect.at,
        reason="",
        **_owed(None),
    )


def _shared(effect: EffectRow | CrossedEffect) -> dict[str, Any]:
    status = EffectStatus(effect.status)
    return {
        "id": effect.id,
        "key": visible(effect.key),
        "tool": visible(effect.tool),
        "class_words": CLASSES[effect.counts_as],
        "is_declared": effect.effect_class is not None,
        "is_irreversible": effect.counts_as == EffectClass.IRREVERSIBLE,
        "status_words": STATUSES[status],
        "is_unknown": status in (EffectStatus.UNKNOWN, EffectStatus.BEGUN),
        "attempt": effect.attempt,
        "undo_until": effect.undo_until,
    }


def _owed(owed: CrossedEffect | None) -> dict[str, Any]:
    if owed is None or owed.compensation is None:
        return {"owed": "", "is_owed": False, "owed_reason": ""}
    status = CompensationStatus(owed.compensation)
    return {
        "owed": OWED[status],
        "is_owed": status not in CLOSED,
        "owed_reason": visible(owed.reason or ""),
    }


def _cut(data: bytes | None) -> str:
    """Return the beginning of stored JSON; its text may end in half a character."""
    if data is None:
        return ""
    data = drawn_value(bytes(data))
    text = data[: 4 * LONGEST].decode("utf-8", "ignore")
    return visible(text if len(text) <= LONGEST else text[:LONGEST] + "…")
