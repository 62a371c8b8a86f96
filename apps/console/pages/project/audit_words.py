"""Search the acts of a project by words of a reasoning, or by a reason's code."""

from collections.abc import Sequence
from dataclasses import replace

from apps.accounts.models import Project
from apps.audit.models import AuditRecord, Event
from apps.console.pages.project import audit_entries
from apps.console.pages.project.audit_entries import (
    ActFilter,
    Found,
    event_id,
    events_of,
    is_session,
    place_of,
    tells_of_version,
)
from apps.timeline.queries import said_in, version_changes

AT_ONCE = 500


def acts(
    project: Project, wanted: ActFilter, *, after: str | None, limit: int
) -> Found:
    """Return up to `limit` acts, newest first, before the place `after`."""
    if wanted.words:
        return _saying(project, wanted, wanted.words, after, limit)
    return audit_entries.acts(project, wanted, after=after, limit=limit)


def _saying(
    project: Project, wanted: ActFilter, words: str, after: str | None, limit: int
) -> Found:
    """Look through the acts, so many at once, for what says the words."""
    others = replace(wanted, words=None)
    found: list[Event | AuditRecord] = []
    looked_at = 0
    while True:
        page = audit_entries.acts(project, others, after=after, limit=AT_ONCE)
        looked_at += len(page.acts)
        found += _with_words(project, page.acts, words)
        if len(found) > limit:
            return Found(acts=found[:limit], after=_after(found[limit - 1]))
        after = page.after
        if after is None:
            return Found(acts=found, after=None)
        is_enough = (
            looked_at >= audit_entries.LOOKED_AT or page.looked_back_to is not None
        )
        if is_enough:
            back_to = page.looked_back_to or page.acts[-1].created_at
            return Found(acts=found, after=after, looked_back_to=back_to)


def _after(act: Event | AuditRecord) -> str:
    return act.id if isinstance(act, Event) else str(act.number)


def _with_words(
    project: Project, acts: Sequence[Event | AuditRecord], words: str
) -> list[Event | AuditRecord]:
    """Return the acts whose version says the words, or has them as its reason."""
    events = events_of(project, acts)
    made = [one for act in acts if (one := events.get(event_id(act))) is not None]
    places = [place_of(one) for one in made if one.number is not None]
    said = said_in([place for place in places if is_session(place[0])], words)
    people = [place_of(one) for one in made if tells_of_version(one)]
    for place, version in version_changes(people).items():
        if version.reason_code and _holds(version.reason_code, words):
            said.add(place)
    return [
        act
        for act in acts
        if (event := events.get(event_id(act))) is not None and place_of(event) in said
    ]


def _holds(code: str, words: str) -> bool:
    """Say whether a reason's code is what was looked for, or begins so."""
    return code.casefold().startswith(words.strip().casefold())
