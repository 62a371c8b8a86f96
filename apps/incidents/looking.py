"""The sweep of checks: find the first version of each session that does not pass.

Some sessions at once are looked into, as bisect does, and what was found is written
under the incident's row lock, unless the check was changed meanwhile. So one that was
killed in the middle has told nothing wrong, and the next sweep goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, TypeVar

import structlog
from django.db import transaction
from django.utils import timezone

from apps.agents.scope import Scope
from apps.checks import Check, CheckRefused, read_text
from apps.core.database.troubles import is_in_trouble
from apps.core.errors import Busy, DomainError
from apps.incidents.models import Incident, Member
from apps.incidents.words import Verdict
from apps.timeline.bisect import Along, FirstBad, Place, find_first_bad
from apps.timeline.models import Version
from apps.timeline.queries import CorruptBody

# How long one sweep goes on; the next takes up what is left.
SWEEP_SECONDS = 20.0
# Sessions that are looked into before what was found is written.
AT_ONCE = 20
_FOUND = ("verdict", "bad_session_id", "bad_number", "bad_release", "bad_at")
Clock = Callable[[], datetime]
T = TypeVar("T")

log = structlog.get_logger("stepback.incidents")


class Bad(NamedTuple):
    """A version that does not pass, of the session or of one it was forked from."""

    session_id: str
    number: int
    release: str | None
    at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """What a check says of one session; `bad` is the first version, where known."""

    verdict: Verdict
    bad: Bad | None = None


def sweep(*, now: datetime, clock: Clock = timezone.now) -> int:
    """Look for the checks of incidents, the oldest first; return at how many."""
    began, looked_at = time.monotonic(), 0
    for incident in Incident.objects.to_check().select_related("project"):
        while count := look_on(incident, now=clock()):
            looked_at += count
            if time.monotonic() - began > SWEEP_SECONDS:
                return looked_at
    return looked_at


def look_on(incident: Incident, *, now: datetime) -> int:
    """Look into some sessions of an incident; return into how many, 0 at its end."""
    waiting = Member.objects.of_incident(incident.id).to_look_at()
    ids = list(waiting.values_list("session_id", flat=True)[:AT_ONCE])
    check = check_of(incident.check_text)
    scope = Scope(incident.project)
    looks = looked_into(ids, lambda id: look(scope, id, check, now=now))
    _tell(incident, looks, now=now)
    return len(looks)


def looked_into(ids: Sequence[str], look: Callable[[str], T]) -> dict[str, T]:
    """Return what is found of each, without those that cannot be looked into now.

    Their store or their keys are away: they wait for the next sweep.
    """
    found = {}
    for one in ids:
        try:
            found[one] = look(one)
        except Busy as away:
            log.warning("a session is looked into later", session=one, why=str(away))
    return found


def look(
    scope: Scope,
    session_id: str,
    check: Check | None,
    *,
    now: datetime,
    along: Along = Along.LIVE,
    first: int | None = None,
) -> Look:
    """Return what a check says of one session, whatever may go wrong with it.

    From a version on, if one is given, and not into what it was forked from.

    Raises: Busy, where what it holds cannot be had now.
    """
    if check is None:
        return Look(verdict=Verdict.UNKNOWN)
    try:
        # The versions of those that were deleted or have expired stay as evidence.
        found = find_first_bad(
            scope,
            session_id,
            check,
            now=now,
            along=along,
            first=first,
            with_over=True,
        )
        return _told(found)
    except Busy:
        raise
    except (DomainError, CorruptBody):
        # Removed or damaged: nobody knows.
        return Look(verdict=Verdict.UNKNOWN)
    except Exception as error:
        # The database is gone or in need: nothing is known of the session.
        if is_in_trouble(error):
            raise
        # What is wrong with one must not hold up the rest.
        log.exception("a check failed", session=session_id)
        return Look(verdict=Verdict.UNKNOWN)


def _told(found: FirstBad) -> Look:
    if found.is_bad is None:
        return Look(verdict=Verdict.UNKNOWN)
    bad = None if found.place is None else _version(found.place)
    return Look(verdict=Verdict.BAD if found.is_bad else Verdict.GOOD, bad=bad)


def _version(place: Place) -> Bad | None:
    """Return a version that was found; None where a removal took it meanwhile."""
    mine = Version.objects.filter(session_id=place.session_id, number=place.number)
    row = mine.values_list("release", "created_at").first()
    return None if row is None else Bad(*place, *row)


def check_of(text: str | None) -> Check | None:
    """Return a check; None where it was erased, or this version cannot read it."""
    try:
        return read_text(text or "")
    except CheckRefused:
        return None


@transaction.atomic
def _tell(incident: Incident, looks: dict[str, Look], *, now: datetime) -> None:
    """Write what was found, unless another check is looked for by now."""
    held = Incident.objects.select_for_update(no_key=True).get(id=incident.id)
    if held.check_text != incident.check_text or held.checked_at is not None:
        return
    mine = Member.objects.of_incident(incident.id)
    members = list(mine.filter(session_id__in=list(looks)))
    for member in members:
        found = looks[member.session_id]
        member.verdict = found.verdict
        if found.bad is not None:
            member.bad_session_id, member.bad_number = found.bad[:2]
            member.bad_release, member.bad_at = found.bad[2:]
    Member.objects.bulk_update(members, _FOUND)
    if not mine.to_look_at().exists():
        held.checked_at = now
        held.save(update_fields=["checked_at"])
