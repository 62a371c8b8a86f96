"""Thin what is derived of old versions, and remove whole sessions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from django.db import transaction
from django.utils import timezone

from apps.blobs import operations as blobs
from apps.core import sql
from apps.timeline import hooks
from apps.timeline.models import Change, Session, Text
from apps.timeline.operations.keeping import rows
from apps.timeline.operations.keeping.locking import locked
from apps.timeline.operations.keeping.pins import built_on, first_pending, pins
from apps.timeline.operations.keeping.taking import MOST, taken
from apps.timeline.operations.keeping.tombstones import Taking
from apps.timeline.operations.keeping.values import Gone, Went
from apps.timeline.projection.texts import TextKind
from apps.timeline.words import Removed

# Words of a version's reasoning and of its messages.
_OF_VERSIONS = (TextKind.REASONING, TextKind.MESSAGES)
# What a session that goes whole needs no more.
PINS_OF_PARTS = ("head", "last turn", "last rollback", "sets aside", "restored")

_BESIDE = sql.of_session("SELECT timeline_remove_v2(%(session)s::varchar) AS rows")


@transaction.atomic
def thin_session(*, session_id: str, below: int) -> Gone:
    """Delete change rows and words of versions below a number; history is untouched.

    Run by the retention role, of up to `MOST` versions at once. What waits to be
    projected is left for the next time.
    """
    session = locked(session_id)
    if session is None:
        return Gone(outcome=Went.UNKNOWN)
    if hooks.legal_hold(session_id):
        return Gone(outcome=Went.HELD)
    first = session.thinned_below or 0
    waiting = first_pending(session_id)
    upto = min(below, session.head_number, first + MOST)
    upto = upto if waiting is None else min(upto, waiting)
    if upto <= first:
        return Gone(outcome=Went.DONE)
    thinned = {"session_id": session_id, "number__lt": upto}
    changes, _ = Change.objects.filter(**thinned).delete()
    words, _ = Text.objects.filter(kind__in=_OF_VERSIONS, **thinned).delete()
    session.thinned_below = upto
    session.save(update_fields=["thinned_below"])
    has_more = upto < min(below, session.head_number)
    return Gone(outcome=Went.DONE, rows=changes + words, has_more=has_more)


@transaction.atomic
def remove_session(
    *, session_id: str, removal_id: str, reason: str, erasing: bool = False
) -> Gone:
    """Remove a session with all that it owns; its tombstones stand.

    Run by the retention role. A larger session goes in parts of `MOST` versions, oldest
    first, with `has_more` until the last; what is beside them goes with the last, of an
    erasure with the first.
    Something pinned keeps all of it, unless `erasing`, which takes the documents of
    memories as well; a legal hold in any case.
    """
    session = locked(session_id, with_documents=erasing)
    head = rows.head(session_id)
    if session is None or head is None:
        return Gone(outcome=Went.UNKNOWN)
    if hooks.legal_hold(session_id):
        return Gone(outcome=Went.HELD)
    if not erasing and (stays := _needed(session_id, head)):
        return Gone(outcome=Went.PINNED, pinned=stays)
    return _removed(session, head, removal_id, reason, erasing=erasing)


def _removed(
    session: Session, head: rows.Header, removal_id: str, reason: str, *, erasing: bool
) -> Gone:
    found = rows.headers(session.id, 0, head.number, MOST + 1)
    has_more, going = len(found) > MOST, found[:MOST]
    if has_more:
        # Until the head goes, somebody may still build on it.
        stays = built_on(session.id, head)
        going = [one for one in going if one.number not in stays]
    taking = Taking(
        session=session,
        kind=Removed.REMOVED,
        removal_id=removal_id,
        reason=reason,
        now=timezone.now(),
    )
    with transaction.atomic():
        kept, beside = Counter[str](), 0
        if erasing or not has_more:
            # As long as somebody may still write, effects know what was done.
            if erasing:
                blobs.mark_erased(
                    session_id=session.id, erasure_id=removal_id, now=taking.now
                )
            kept = hooks.erase_leavings(
                hooks.leavings_of_sessions(), {"session": session.id}
            )
            beside = sql.rows(_BESIDE, {"session": session.id})[0].rows
        gone = taken(taking, going, {}, has_more=has_more)
        if gone.outcome is not Went.DONE:
            # What is broken is evidence, with all that is beside it.
            transaction.set_rollback(True)
            return gone
    if not has_more:
        Session.with_documents.filter(id=session.id).delete()
    return replace(gone, kept=kept, rows=gone.rows + beside + kept.total())


def _needed(session_id: str, head: rows.Header) -> dict[int, str]:
    """Return what keeps the whole session."""
    found = rows.headers(session_id, 0, head.number, head.number + 1)
    stays = pins(session_id, found, head, erasing=False)
    return {number: why for number, why in stays.items() if why not in PINS_OF_PARTS}
