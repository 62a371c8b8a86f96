"""Holds the versions of a keyed document against the records of its stream.

Each act that makes a version appends its record in the same transaction. So a stream
that was cut off at its end, which its own links cannot tell, is found wherever the
versions are still there, and the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from apps.accounts.models import Project
from apps.agents.models import Agent
from apps.audit.models import AuditRecord
from apps.core import sql
from apps.timeline.ledger.documents.values import Document
from apps.timeline.models import Session
from apps.timeline.verification.findings import Kind, Problem
from apps.timeline.verification.removals import Removals
from apps.timeline.verification.rows import StoredVersion

AT_ONCE = 1_000
# The ids of documents are from here to before there.
FIRST, BEFORE = "doc_", "doc`"

_OF_EVENTS = sql.of_session("""
SELECT r.event_id, r.version FROM audit_auditrecord r
 WHERE r.stream_id = %(stream)s AND r.event_id = ANY(%(events)s)
""")
_WITH_VERSION = sql.of_session("""
SELECT r.number, r.event_id, r.version FROM audit_auditrecord r
 WHERE r.stream_id = %(stream)s AND r.number > %(after)s AND r.version IS NOT NULL
 ORDER BY r.number LIMIT %(limit)s
""")
_VERSIONS = sql.of_session("""
SELECT v.number, v.trace_id FROM timeline_version v
 WHERE v.session_id = %(session)s AND v.number = ANY(%(numbers)s)
""")


def stream_of(document_id: str) -> str | None:
    """Return the stream of a document's records; None where its project is none."""
    session = Session.with_documents.filter(id=document_id).first()
    if session is None:
        return None
    project = Project.objects.filter(id=session.project_id).first()
    if project is None:
        return None
    agent_id = session.agent_id or ""
    of_agent = Document.of_agent(project, agent_id)
    return agent_id if of_agent.id == document_id else document_id


def unrecorded(stream_id: str, versions: Sequence[StoredVersion]) -> list[int]:
    """Return which of these versions have no record that says so.

    Version 0 has none: a document begins for the act that makes its first version.
    """
    made = {one.trace_id: one.number for one in versions if one.number > 0}
    asked = {"stream": stream_id, "events": list(made)}
    recorded = {row.event_id: row.version for row in sql.rows(_OF_EVENTS, asked)}
    return [number for event, number in made.items() if recorded.get(event) != number]


def unfounded(
    stream_id: str, document_id: str, removed: Removals
) -> Iterator[tuple[int, Problem]]:
    """Yield the versions that records name, and that are not there as they say.

    Of one that was pruned a tombstone stands, and its record with it.
    """
    last = 0
    for page in _pages(stream_id):
        numbers = [row.version for row in page]
        asked = {"session": document_id, "numbers": numbers}
        found = {row.number: row.trace_id for row in sql.rows(_VERSIONS, asked)}
        for row in page:
            is_pruned = row.version not in found and removed.has(row.version)
            if not is_pruned and found.get(row.version) != row.event_id:
                sentence = (
                    f"record {row.number} of {stream_id} made it: it is not there"
                )
                yield row.version, (Kind.NUMBER, sentence)
            elif row.version <= last:
                sentence = f"record {row.number} of {stream_id} is not in its place"
                yield row.version, (Kind.NUMBER, sentence)
            last = max(last, row.version)


def without_document(project: Project) -> Iterator[str]:
    """Yield what is wrong where records name versions of a document that is gone."""
    streams = [
        *((one, one) for one in _own_streams(project.id)),
        *(
            (Document.of_agent(project, agent_id).id, agent_id)
            for agent_id in Agent.objects.of_project(project.id).ids()
        ),
    ]
    for document_id, stream_id in streams:
        if _is_there(document_id) or not next(_pages(stream_id)):
            continue
        # Once more: it may just have begun.
        if not _is_there(document_id):
            yield f"{document_id}: it is gone, and records of {stream_id} name it"


def _own_streams(project_id: str) -> Iterator[str]:
    """Yield the streams that are a document's own."""
    first = AuditRecord.objects.filter(project_id=project_id, number=1)
    last = FIRST
    while True:
        found = first.filter(stream_id__gt=last, stream_id__lt=BEFORE)
        ids = found.order_by("stream_id").values_list("stream_id", flat=True)
        page = list(ids[:AT_ONCE])
        yield from page
        if len(page) < AT_ONCE:
            return
        last = page[-1]


def _is_there(document_id: str) -> bool:
    return Session.with_documents.filter(id=document_id).exists()


def _pages(stream_id: str) -> Iterator[list[Any]]:
    after = 0
    while True:
        asked = {"stream": stream_id, "after": after, "limit": AT_ONCE}
        page = sql.rows(_WITH_VERSION, asked)
        yield page
        if len(page) < AT_ONCE:
            return
        after = page[-1].number
