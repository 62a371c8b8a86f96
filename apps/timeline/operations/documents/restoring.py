"""Restoring keyed documents: what stood at an earlier version becomes the newest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.core import json, sql
from apps.timeline.errors import DocumentMoved, RestoreTooLarge, VersionNotFound
from apps.timeline.ledger.documents import calls, writing
from apps.timeline.ledger.documents.sealing import seal
from apps.timeline.ledger.documents.values import Document, Restored, Told
from apps.timeline.versions.gone import refused_as_conflict, value_erased
from apps.timeline.versions.keyed.restore_steps import RestoreStep
from apps.timeline.versions.keyed.whole import require_whole
from apps.timeline.words import Op

# Keys touched since that one restore may set in one transaction.
MOST_RESTORED = 200_000

_EMPTIED = sql.of_session("""
SELECT e.body_number FROM timeline_entry e
  JOIN timeline_version v
    ON v.session_id = %(session)s AND v.number = e.body_number AND v.salt = ''
 WHERE e.session_id = %(session)s AND e.number = %(number)s LIMIT 1
""")
_RESTORED = sql.of_session(sql.query("timeline", "document_restored"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Restoration:
    """What is to be brought back, and from which version.

    `expected` is the head that the caller saw, None whatever it is.
    """

    target: int
    config: bool
    data: bool
    expected: int | None = None
    most: int = MOST_RESTORED
    # Of which it is one step; None: it is all at once.
    step: RestoreStep | None = None

    @property
    def parts(self) -> list[str]:
        """Return the parts that are brought back, as the version says it."""
        asked = {"config": self.config, "data": self.data}
        return [name for name, is_part in asked.items() if is_part]

    @property
    def said(self) -> dict[str, Any]:
        """Return what the version's body says, from which its entries follow."""
        said: dict[str, Any] = {"restored": self.target, "parts": self.parts}
        if self.step is not None:
            one = self.step
            said |= {"first": one.first, "before": one.before, "seen": one.seen}
        return said


@transaction.atomic
def restore_document(
    *,
    act: Act,
    document: Document,
    wanted: Restoration,
    told: Told,
    reasoning: str | None = None,
) -> Restored:
    """Bring config or data or both back to what they were at an earlier version.

    Keys written since are removed, what has expired since stays absent.

    Raises: DocumentMoved, RestoreTooLarge, VersionNotFound; VersionPruned and
    ContentsErased where a removal took what would come back; what `writing.run` raises.
    """
    item = seal(
        act,
        document,
        op=Op.ROLLBACK,
        body=json.dumps(wanted.said),
        told=told,
        restored_number=wanted.target,
        reasoning=reasoning,
    )
    given = {
        **calls.of_act(act, document, reasoning),
        **item,
        "target": wanted.target,
        "of_config": wanted.config,
        "of_data": wanted.data,
        **_range(wanted.step),
        "expected": wanted.expected,
        "most": wanted.most,
    }
    row = writing.run(calls.RESTORE, act, document, given)
    if row.outcome == "moved":
        raise DocumentMoved(head=row.number, expected=wanted.expected)
    if row.outcome == "ahead":
        raise VersionNotFound("This document has no such version.", head=row.number)
    if row.outcome == "too_large":
        raise RestoreTooLarge(most=wanted.most)
    number = row.number
    if row.outcome == "stored":
        with refused_as_conflict():
            _require_whole(document, wanted)
            _require_values(document, number)
    if row.outcome == "replay":
        # Its counts again, from what it stored and what stood before it.
        require_whole(document.id, number - 1)
        _require_whole(document, wanted)
        (row,) = sql.rows(_RESTORED, {"session": document.id, "number": number})
        return _restored(row, number, row.trace_id, is_replay=True)
    return _restored(row, number, item["event_id"], is_replay=False)


def _require_values(document: Document, number: int) -> None:
    """Refuse what the version has brought back without a value; nothing is kept of it.

    Under the document's lock, which a removal takes as well.

    Raises: ContentsErased.
    """
    for row in sql.rows(_EMPTIED, {"session": document.id, "number": number}):
        raise value_erased(document.id, row.body_number)


def _require_whole(document: Document, wanted: Restoration) -> None:
    """Refuse to bring back data of which some is gone; of a config nothing goes.

    Under the document's lock as well.

    Raises: VersionPruned.
    """
    if wanted.data:
        require_whole(document.id, wanted.target)


def _range(step: RestoreStep | None) -> dict[str, Any]:
    if step is None:
        return {"first": None, "before": None, "seen": None}
    return {"first": step.first, "before": step.before, "seen": step.seen}


def _restored(row: Any, number: int, event_id: str, *, is_replay: bool) -> Restored:
    return Restored(
        number=number,
        first_number=number,
        is_replay=is_replay,
        event_ids=(event_id,),
        created_at=row.created_at,
        changed=row.changed,
        removed=row.removed,
        lapsed=row.lapsed,
        is_config_changed=row.config_changed,
    )
