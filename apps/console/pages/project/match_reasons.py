"""Why a session was found, as the list shows it: as what, and the way there."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

from django.urls import reverse

from apps.accounts.models import Project
from apps.console.queries import Why
from apps.diffs.changes import MISSING
from apps.diffs.text import isolated, show
from apps.timeline.search import (
    AgentIs,
    Candidate,
    Clause,
    ExternalId,
    Hit,
    Match,
    UserIs,
    write_clause,
)

LONGEST_VALUE = 80
LONGEST_NAME = 120
WORDS = {
    "state": "held",
    "head": "holds now",
    "change": "changed",
    "reasoning": "in the reasoning",
    "turn": "in a turn",
    "messages": "in messages kept",
    "label": "labelled",
    "summary": "in the summary up to turn",
    "flag": "flagged",
    "rollback": "rolled back",
    "reason": "for the reason",
    "op": "by",
    "unreasoned": "without a reason",
}
MENTIONS = {"reasoning", "turn", "messages", "summary"}
# What a version says of itself, by its name.
NAMING = {"release", "model", "step", "objective", "reason", "op", "label"}
# Whose amount the row tells.
USED = {"cost", "tokens"}
# Ids, as what they were found; the term by which those of a session are found alone.
IDS = {
    "user": "user",
    "agent": "agent",
    "external_id": "external id",
    "session": "session",
    "trace": "trace",
}
ALONE: dict[str, Callable[[str], Clause]] = {
    "user": lambda name: UserIs(text="", user_id=name),
    "agent": lambda name: AgentIs(text="", name=name),
    "external_id": lambda name: ExternalId(text="", external_id=name),
}


def why(project: Project, session: Candidate, match: Match) -> Why:
    """Return one reason, as its row shows it."""
    hit = match.hit
    is_id = hit.version is None and hit.where in IDS
    number = session.head_number if hit.version is None else hit.version
    place = url(project, session.id, number)
    return Why(
        clause=match.clause,
        words=_words(hit),
        pointer=hit.pointer,
        version=None if is_id else number,
        url=_alone(project, session, hit) if is_id else place,
        value_url=None
        if hit.pointer is None
        else f"{place}/value?{urlencode({'pointer': hit.pointer})}",
        quote=hit.quote,
        is_deed=hit.where == "change",
        is_mention=hit.where in MENTIONS,
    )


def _alone(project: Project, session: Candidate, hit: Hit) -> str:
    """Return the search for the sessions that have this very id."""
    if hit.where not in ALONE:
        return url(project, session.id, hit.version)
    here = reverse("console:sessions", args=[project.slug])
    return f"{here}?{urlencode({'q': write_clause(ALONE[hit.where](str(hit.value)))})}"


def _words(hit: Hit) -> str:
    if hit.where in IDS and hit.value is not MISSING:
        return f"{IDS[hit.where]} {isolated(show(hit.value, LONGEST_NAME))}"
    words = WORDS.get(hit.where, hit.where.replace("_", " "))
    if hit.turn_number is not None:
        before = words if hit.where == "summary" else "in turn"
        words = f"{before} {hit.turn_number}"
    if hit.value is MISSING or hit.where in NAMING:
        return words if hit.value is MISSING else f"{words} {_shown(hit)}"
    return f"{words}: {_shown(hit)}"


def _shown(hit: Hit) -> str:
    return isolated(show(hit.value, LONGEST_VALUE))


def url(project: Project, session_id: str, number: int | None) -> str:
    """Return the address of a version, or of the session as a whole."""
    if number is None:
        return reverse("console:session_detail", args=[project.slug, session_id])
    return reverse("console:version_detail", args=[project.slug, session_id, number])


def is_told(hit: Hit) -> bool:
    """Say whether the row does not show by itself what is true of a session."""
    is_id = hit.where in IDS and hit.value is not MISSING
    has_place = hit.version is not None or hit.pointer is not None
    return is_id or has_place or hit.where in USED
