"""The sweep of surveys: look into their sessions, some at once, as for incidents.

What was found is written together, where nobody wrote it meanwhile; so a worker that
is killed has told nothing wrong, two count nothing twice, and the next sweep goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from apps.agents.scope import Scope
from apps.core import sql
from apps.incidents.looking import Look, check_of, look, looked_into
from apps.surveys.models import Sampled, Survey
from apps.surveys.words import MOST_OF_ONE
from apps.timeline.bisect import Along

# How long one sweep goes on; the next takes up what is left.
SWEEP_SECONDS = 20.0
# Sessions that are looked into before what was found is written.
AT_ONCE = 20
NO_VERSION, LAST_VERSION = -1, 2**62
_FOUND = ("verdict", "is_placed", "is_inherited", "wrote")
Clock = Callable[[], datetime]
# Rollbacks and what only marks a version say nothing of who ran. Up to the version that
# broke the check; all where it did not, or nobody knows.
_WROTE = sql.of_session("""
SELECT v.release, v.model, bool_or(v.number = %(bad)s) AS broke
  FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.number <= %(last)s
   AND (v.op NOT IN ('rollback', 'fork', 'pause', 'resume') OR v.number = %(bad)s)
 GROUP BY v.release, v.model
 ORDER BY broke DESC, min(v.number)
 LIMIT %(most)s
""")


def sweep(*, now: datetime, clock: Clock = timezone.now) -> int:
    """Look into the sessions of surveys, the oldest first; return into how many."""
    began, looked_into = time.monotonic(), 0
    for survey in Survey.objects.to_look().select_related("project"):
        while count := look_on(survey, now=clock()):
            looked_into += count
            if time.monotonic() - began > SWEEP_SECONDS:
                return looked_into
    return looked_into


def look_on(survey: Survey, *, now: datetime) -> int:
    """Look into some sessions of a survey; return into how many, 0 at its end."""
    waiting = Sampled.objects.of_survey(survey.id).to_look_into()
    ids = list(waiting.values_list("session_id", flat=True)[:AT_ONCE])
    scope, check = Scope(survey.project), check_of(survey.check_text)
    found = looked_into(
        ids,
        lambda id: _facts(id, look(scope, id, check, now=now, along=Along.ALL)),
    )
    _tell(survey, found, now=now)
    return len(found)


def _facts(session_id: str, found: Look) -> dict[str, Any]:
    """Return what is kept of a session: the verdict, and who wrote in it until then."""
    bad = found.bad
    is_inherited = bad is not None and bad.session_id != session_id
    number = None if bad is None or is_inherited else bad.number
    return {
        "verdict": found.verdict,
        "is_placed": bad is not None,
        "is_inherited": is_inherited,
        "wrote": [] if is_inherited else _wrote(session_id, number),
    }


def _wrote(session_id: str, bad: int | None) -> list[dict[str, Any]]:
    asked = {
        "session": session_id,
        "bad": NO_VERSION if bad is None else bad,
        "last": LAST_VERSION if bad is None else bad,
        "most": MOST_OF_ONE,
    }
    return [
        {"release": row.release, "model": row.model, "broke": row.broke}
        for row in sql.rows(_WROTE, asked)
    ]


@transaction.atomic
def _tell(survey: Survey, found: dict[str, dict[str, Any]], *, now: datetime) -> None:
    """Write what was found of those that still wait; say when none is left."""
    held = Survey.objects.select_for_update(no_key=True).get(id=survey.id)
    mine = Sampled.objects.of_survey(survey.id)
    sampled = list(mine.to_look_into().filter(session_id__in=list(found)))
    for one in sampled:
        for name, value in found[one.session_id].items():
            setattr(one, name, value)
    Sampled.objects.bulk_update(sampled, _FOUND)
    if held.looked_at is None and not mine.to_look_into().exists():
        held.looked_at = now
        held.save(update_fields=["looked_at"])
