"""Empty, archive or prune what nobody has to see any more of keyed documents.

A version that set a value is emptied once the value is shown neither now, nor at a
version that is young enough, nor at one that somebody keeps, such as a checkpoint. Its
entry stays: which keys there were, when and how large, is read and verified as before.
A config is never emptied, nor what a removal, a restore or an expiry has said: from
that the entries follow. Of the same versions bodies are archived.

A version is pruned, with its entries, once none of these is shown any more. So all
stays exact at each version that is young enough or kept, and below is not read: of what
stood there some is gone.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from apps.core import sql
from apps.timeline import hooks
from apps.timeline.models import Session
from apps.timeline.operations.keeping import archiving, rows
from apps.timeline.operations.keeping.locking import locked
from apps.timeline.operations.keeping.taking import taken
from apps.timeline.operations.keeping.tombstones import Taking
from apps.timeline.operations.keeping.values import Gone, Went
from apps.timeline.words import ARCHIVED, Kind, Removed

# They stand apart, so most have a tombstone of their own: writers wait for so many.
MOST = 100
# Of which bodies one object is made; each is fetched by a request of its own.
MOST_ARCHIVED = 500
# A locator of 96 bytes stands in place of a body: what is smaller than this stays.
LEAST_BYTES = 256

_SUPERSEDED = sql.of_session(
    sql.query("timeline", "keeping_superseded", archived=ARCHIVED)
)
_UNNEEDED = sql.of_session(sql.query("timeline", "keeping_unneeded"))
# No body of a document builds on another one: each is a group of its own.
_GROUPS = sql.of_session("""
SELECT b.number AS root, ARRAY[b.number] AS numbers,
       octet_length(b.data)::bigint AS size
  FROM timeline_body b
 WHERE b.session_id = %(session)s AND b.number = ANY (%(numbers)s::bigint[])
 ORDER BY b.number
""")


def superseded(
    *,
    document_id: str,
    first: int,
    last: int,
    shown_from: int,
    limit: int = MOST,
    least_bytes: int | None = None,
) -> list[int]:
    """Return versions whose value nobody has to see, in order, those emptied left out.

    At `shown_from` and later every value is to be seen, and where apps above say so.
    With `least_bytes`, those alone whose body is in no archive and as large.
    """
    asked = _asked(document_id, first, last, shown_from)
    found = sql.rows(_SUPERSEDED, asked | {"limit": limit, "least": least_bytes})
    return [row.number for row in found]


def archivable(
    *, document_id: str, first: int, last: int, shown_from: int
) -> list[int]:
    """Return those of `superseded` whose bodies one call of `archive_entries` takes."""
    return superseded(
        document_id=document_id,
        first=first,
        last=last,
        shown_from=shown_from,
        limit=MOST_ARCHIVED,
        least_bytes=LEAST_BYTES,
    )


def archive_entries(
    *, document_id: str, first: int, last: int, shown_from: int, is_trial: bool = False
) -> Gone:
    """Archive what versions from `first` to `last` set, as `archive_versions` does.

    What somebody has to see stays in the table, so a restore needs no archive.
    """
    document = Session.with_documents.filter(id=document_id).first()
    if document is None or document.kind != Kind.KEYED:
        return Gone(outcome=Went.UNKNOWN)

    def groups() -> list[Any]:
        numbers = archivable(
            document_id=document_id, first=first, last=last, shown_from=shown_from
        )
        return sql.rows(_GROUPS, {"session": document_id, "numbers": numbers})

    return archiving.archived(document_id, groups, is_trial=is_trial, is_document=True)


def unneeded(*, document_id: str, first: int, last: int, shown_from: int) -> list[int]:
    """Return versions of whose entries nobody has to see any, in order.

    At `shown_from` and later every entry is to be seen, and where apps above say so.
    """
    asked = _asked(document_id, first, last, shown_from) | {"limit": MOST}
    return [row.number for row in sql.rows(_UNNEEDED, asked)]


def _asked(document_id: str, first: int, last: int, shown_from: int) -> dict[str, Any]:
    """Return which versions are looked at, and at which all has to be seen."""
    return {
        "session": document_id,
        "first": first,
        "last": last,
        "shown_from": shown_from,
        "moments": sorted(hooks.moments_kept(document_id)),
    }


@transaction.atomic
def prune_entries(
    *,
    document_id: str,
    first: int,
    last: int,
    shown_from: int,
    removal_id: str,
    reason: str,
) -> Gone:
    """Delete versions from `first` to `last`, with their entries, that nobody sees.

    Run by the retention role, as `empty_entries` is. Tombstones stand for them, which
    say from where on all of the document is there.
    """
    return _take(
        Removed.PRUNED, document_id, first, last, shown_from, removal_id, reason
    )


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
    return _take(
        Removed.EMPTIED, document_id, first, last, shown_from, removal_id, reason
    )


def _take(
    kind: Removed,
    document_id: str,
    first: int,
    last: int,
    shown_from: int,
    removal_id: str,
    reason: str,
) -> Gone:
    document = locked(document_id, with_documents=True)
    if document is None or document.kind != Kind.KEYED:
        return Gone(outcome=Went.UNKNOWN)
    if hooks.legal_hold(document_id):
        return Gone(outcome=Went.HELD)
    is_pruning = kind is Removed.PRUNED
    find = unneeded if is_pruning else superseded
    numbers = find(
        document_id=document_id, first=first, last=last, shown_from=shown_from
    )
    if not numbers:
        return Gone(outcome=Went.DONE)
    taking = Taking(
        session=document,
        kind=kind,
        removal_id=removal_id,
        reason=reason,
        now=timezone.now(),
        shown_from=shown_from if is_pruning else None,
    )
    return taken(taking, rows.headers_of(document_id, numbers), {})
