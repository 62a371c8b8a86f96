"""Applying the journal to a database that was put back, before anybody is served.

What the database does not know as done happened after the backup was made. The journal
names nobody: who is meant is found by the digests of all that the database has. All
erasures are begun before the first is done, so that none is forgotten where one has to
wait, or where somebody is killed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from apps.accounts.models import Project
from apps.core.time.moments import moment
from apps.erasures import journal
from apps.erasures.errors import JournalMissing
from apps.erasures.journal import Entry
from apps.erasures.models import Erasure, Target
from apps.erasures.running import run
from apps.erasures.running.looking import note
from apps.erasures.subjects import digest_of, ids_of
from apps.erasures.words import Kind, State, Waits
from apps.timeline.models import Session

# Files wait for writes that may be about to name them, for a minute.
PATIENCE_SECONDS = 90.0
PAUSE_SECONDS = 1.0
_WHY = {
    Waits.LEGAL_HOLD: "a legal hold keeps it",
    Waits.DAMAGED: "a history of it does not hold",
    Waits.FILES: "its files wait for a write that may be about to name them",
    "": "the store of files does not answer",
}


def require_journal() -> None:
    """Raises: JournalMissing, CertificateRefused where its entries do not hold."""
    if not journal.is_there():
        raise JournalMissing(
            "There is no journal of erasures here, so nobody knows who must not come "
            "back: copy the folder erasures of the installation that was backed up, "
            "or say --without-journal."
        )
    for _ in journal.entries():
        pass


def is_behind() -> bool:
    """Say whether the database was put back to before something the journal has.

    One look at the newest entry: all are begun before one is done.

    Raises: CertificateRefused, OSError.
    """
    newest = journal.newest()
    if newest is None:
        return False
    begun = Erasure.objects.filter(entry__isnull=False)
    known = begun.filter(id=newest.certificate["id"])
    return not known.exists() or begun.filter(state=State.RUNNING).exists()


@dataclass(frozen=True, kw_only=True, slots=True)
class Reapplied:
    """How many erasures were done again, and what keeps others, in sentences."""

    applied: int
    left: tuple[str, ...]


def reapply(*, now: datetime) -> Reapplied:
    """Erase again whom the journal says is erased.

    What is left, the process that removes goes on with.

    Raises: CertificateRefused.
    """
    found = [
        one
        for entry in list(journal.entries())
        if (one := _brought_back(entry, now)) is not None
    ]
    left = [one for one in found if not run(one, now=now)]
    until = time.monotonic() + PATIENCE_SECONDS
    while left and time.monotonic() < until and _waits_for_files(left):
        time.sleep(PAUSE_SECONDS)
        left = [one for one in left if not run(one, now=timezone.now())]
    return Reapplied(applied=len(found) - len(left), left=tuple(map(_why, left)))


def _waits_for_files(left: list[Erasure]) -> bool:
    """Say whether some wait for nothing but the end of leases, a minute at most."""
    waiting = Erasure.objects.filter(id__in=[one.id for one in left])
    return waiting.filter(waits_for=Waits.FILES).exists()


def _why(erasure: Erasure) -> str:
    erasure.refresh_from_db(fields=["waits_for"])
    return f"Erasure {erasure.id} is not over: {_WHY[erasure.waits_for]}."


@transaction.atomic
def _brought_back(entry: Entry, now: datetime) -> Erasure | None:
    """Return the erasure of an entry, to be run; None where the database has it."""
    said = entry.certificate
    project = Project.objects.filter(id=said["project_id"]).first()
    found = Erasure.objects.filter(id=said["id"]).first()
    if project is None or (found is not None and found.is_done):
        return None
    salt, digest = bytes.fromhex(said["subject"]["salt"]), said["subject"]["digest"]
    erasure = found or Erasure(
        id=said["id"],
        project=project,
        preview_id=said["id"],
        kind=said["kind"],
        reason="Applied from the journal after a restore.",
        asked_by_label="restore",
        started_at=moment(said["started_at"]),
        state=State.RUNNING,
    )
    erasure.salt, erasure.entry = salt, entry.data
    erasure.value = _meant(project, Kind(said["kind"]), salt, digest)
    erasure.save()
    _note_all(erasure, {one["digest"] for one in said["histories"]}, salt)
    return erasure


def _meant(project: Project, kind: Kind, salt: bytes, digest: str) -> str:
    """Return who has this digest; empty where the database knows no such person."""
    for value in _values(project, kind):
        if digest_of(salt, value) == digest:
            return value
    return ""


def _values(project: Project, kind: Kind) -> Iterator[str]:
    mine = Session.objects.of_project(project.id)
    if kind == Kind.SESSION:
        yield from ids_of(mine)
        return
    last = ""
    while True:
        # The next name behind the last one: an index read, however many sessions.
        later = mine.filter(user_id__gt=last).order_by("user_id")
        found = list(later.values_list("user_id", flat=True)[:1])
        if not found:
            return
        last = found[0] or ""
        yield last


def _note_all(erasure: Erasure, digests: set[str], salt: bytes) -> None:
    """Note the histories that the certificate names, forks of others among them."""
    known = set(Target.objects.of(erasure.id).values_list("history_id", flat=True))
    mine = Session.with_documents.of_project(erasure.project_id)
    for one in ids_of(mine):
        if one not in known and digest_of(salt, one) in digests:
            note(erasure, one, is_session=one.startswith("sess_"))
