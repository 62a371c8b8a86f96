"""One step of one session, done by the ledger, and what it counted."""

from __future__ import annotations

from django.utils import timezone

from apps.retention.counts import Counts
from apps.retention.standing import hold_on
from apps.retention.sweeping.places import Place, Work
from apps.retention.sweeping.planning import Rule, is_to_be_removed
from apps.retention.words import Step
from apps.timeline.models import Session
from apps.timeline.operations import (
    PINS_OF_PARTS,
    Gone,
    Went,
    archive_entries,
    archive_versions,
    empty_entries,
    empty_versions,
    prune_entries,
    prune_versions,
    remove_session,
    thin_session,
)

REASON = "policy"


def do(work: Work, place: Place, removal_id: str, counts: Counts, rule: Rule) -> Place:
    """Take what a step takes, count it, and return the place behind it.

    Call it in a transaction: of a session that goes as a whole it is looked at again,
    under its lock, whether it still may, since somebody may have written to it.
    """
    if work.step is Step.REMOVE and not _may_go(place.session_id, rule):
        return place
    gone = _take(work, place.session_id, removal_id, rule)
    _count_pins(gone, place, counts)
    if gone.outcome is Went.HELD:
        counts.hold(is_document=work.shown_from is not None)
        return place.over()
    if gone.outcome is Went.UNKNOWN:
        return place.over()
    if gone.outcome is Went.MOVED:
        counts.stays("moved")
    if gone.outcome is Went.AWAY:
        counts.stays("store away")
    place = _counted(work, gone, place, counts)
    return _behind(work, gone, place)


def _behind(work: Work, gone: Gone, place: Place) -> Place:
    if work.step is Step.REMOVE:
        if gone.outcome is Went.PINNED:
            return place.kept()
        return place if gone.has_more else place.over()
    if work.step in (Step.THIN, Step.ARCHIVE) and gone.has_more:
        return place
    return place.after(work)


def _may_go(session_id: str, rule: Rule) -> bool:
    held = Session.objects.select_for_update(no_key=True).filter(id=session_id).first()
    return held is not None and is_to_be_removed(held, rule)


def _counted(work: Work, gone: Gone, place: Place, counts: Counts) -> Place:
    numbers = {
        "versions": gone.versions,
        "turns": gone.turns,
        "rows": gone.rows,
        "bytes": gone.bytes,
    }
    if gone.outcome is not Went.DONE or not any(numbers.values()):
        return place
    what = "sessions" if work.shown_from is None else "documents"
    counts.add(work.step, **{what: int(work.step not in place.counted)}, **numbers)
    return place.having_counted(work.step)


def _count_pins(gone: Gone, place: Place, counts: Counts) -> None:
    """Count what stays; what kept the whole session is not counted a second time."""
    for why in gone.pinned.values():
        if not place.is_kept or why in PINS_OF_PARTS:
            counts.stays(why)


def _take(work: Work, session_id: str, removal_id: str, rule: Rule) -> Gone:
    if work.step is Step.THIN:
        return thin_session(session_id=session_id, below=work.last + 1)
    if work.step is Step.ARCHIVE:
        return _archive(work, session_id, rule)
    if work.step is Step.REMOVE:
        return remove_session(
            session_id=session_id, removal_id=removal_id, reason=REASON
        )
    if work.shown_from is not None:
        take_entries = empty_entries if work.step is Step.EMPTY else prune_entries
        return take_entries(
            document_id=session_id,
            first=work.first,
            last=work.last,
            shown_from=work.shown_from,
            removal_id=removal_id,
            reason=REASON,
        )
    take = empty_versions if work.step is Step.EMPTY else prune_versions
    return take(
        session_id=session_id,
        first=work.first,
        last=work.last,
        removal_id=removal_id,
        reason=REASON,
    )


def _archive(work: Work, session_id: str, rule: Rule) -> Gone:
    """Archive what a legal hold does not keep; asked before, so nothing is written."""
    held = Session.with_documents.filter(id=session_id).first()
    if held is not None and hold_on(held, now=timezone.now()) is not None:
        return Gone(outcome=Went.HELD)
    if work.shown_from is not None:
        return archive_entries(
            document_id=session_id,
            first=work.first,
            last=work.last,
            shown_from=work.shown_from,
            is_trial=rule.is_preview,
        )
    return archive_versions(
        session_id=session_id,
        first=work.first,
        last=work.last,
        is_trial=rule.is_preview,
    )
