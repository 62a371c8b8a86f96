"""Everything that is held against signatures: of a project, or whatever was signed."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils import timezone

from apps.accounts.management.command import project_called
from apps.agents.models import Agent
from apps.core.notes.roots import Kind as Stream
from apps.timeline.management.sessions import histories
from apps.timeline.verification.signed.witnessed import Witnessed

PAGE = 500
# What the ids of keyed documents begin with; some have a record of their own.
DOCUMENT = "doc_"


def contradictions(kept: Witnessed, slug: str | None) -> Iterator[str]:
    now = timezone.now()
    if slug is not None:
        project = project_called(slug)
        yield from kept.of_records(record_ids(project.id))
        yield from kept.of_sessions(session_ids(project.id), now=now)
        return
    # Whatever was signed, also what is not there any more; then what never was.
    yield from kept.of_records(kept.every(Stream.RECORD))
    yield from kept.of_sessions(kept.every(Stream.SESSION), now=now)
    yield from kept.of_tombstones()


def record_ids(project_id: str) -> Iterator[str]:
    """Return what has a record in a project: itself, its agents, some documents."""
    yield project_id
    yield from Agent.objects.of_project(project_id).ids()
    for session_id in session_ids(project_id):
        if session_id.startswith(DOCUMENT):
            yield session_id


def session_ids(project_id: str) -> Iterator[str]:
    """Return what has a history in a project, newest first: deleted and expired too.

    Sessions, then keyed documents. Page by page: a cursor would hold one snapshot open
    for as long as it all takes.
    """
    found = histories().of_project(project_id).order_by("-id")
    last: str | None = None
    while True:
        older = found if last is None else found.filter(id__lt=last)
        page = list(older.values_list("id", flat=True)[:PAGE])
        yield from page
        if len(page) < PAGE:
            return
        last = page[-1]
