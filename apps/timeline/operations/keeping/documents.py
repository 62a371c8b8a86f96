"""Empty values of keyed documents that nobody has to see any more.

A version that set a value is emptied once the value is shown neither now, nor at a
version that is young enough, nor at one that somebody keeps, such as a checkpoint. Its
entry stays: which keys there were, when and how large, is read and verified as before.
A config is never emptied, nor what a removal, a restore or an expiry has said: from
that the entries follow.
"""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from apps.core import sql
from apps.timeline import hooks
from apps.timeline.operations.keeping import rows
from apps.timeline.operations.keeping.locking import locked
from apps.timeline.operations.keeping.taking import taken
from apps.timeline.operations.keeping.tombstones import Taking
from apps.timeline.operations.keeping.values import Gone, Went
from apps.timeline.words import Kind, Removed

# They stand apart, so most have a tombstone of their own: writers wait for so many.
MOST = 100

_SUPERSEDED = sql.of_session(sql.query("timeline", "keeping_superseded"))


def superseded(
    *, document_id: str, first: int, last: int, shown_from: int, limit: int = MOST
) -> list[int]:
    """Return versions whose value nobody has to see, in order, those emptied left out.

    At `shown_from` and later every value is to be seen, and where apps above say so.
    """
    asked = {
        "session": document_id,
        "first": first,
        "last": last,
        "shown_from": shown_from,
        "moments": sorted(hooks.moments_kept(document_id)),
        "limit": limit,
    }
    return [row.number for row in sql.rows(_SUPERSEDED, asked)]


@transaction.atomic
def empty_entries(
    *,
    document_id: str,
    first: int,
    last: int,
    shown_from: int,
    removal_id: str,
    reason: str,
) -> Gone:
    """Empty what versions from `first` to `last` set, as far as nobody has to see it.

    Run by the retention role. All is looked at under the document's lock, which whoever
    writes, restores or makes a checkpoint takes as well.
    """
    document = locked(document_id, with_documents=True)
    if document is None or document.kind != Kind.KEYED:
        return Gone(outcome=Went.UNKNOWN)
    if hooks.legal_hold(document_id):
        return Gone(outcome=Went.HELD)
    numbers = superseded(
        document_id=document_id, first=first, last=last, shown_from=shown_from
    )
    if not numbers:
        return Gone(outcome=Went.DONE)
    taking = Taking(
        session=document,
        kind=Removed.EMPTIED,
        removal_id=removal_id,
        reason=reason,
        now=timezone.now(),
    )
    return taken(taking, rows.headers_of(document_id, numbers), {})
