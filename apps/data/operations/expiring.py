"""Record the keys whose time is over: reads have passed over them since that moment."""

from __future__ import annotations

from datetime import datetime

from apps.accounts.models import Project
from apps.agents.acts import Act
from apps.agents.scope import Scope
from apps.audit.actions import Action
from apps.audit.streams import Operation
from apps.core import sql
from apps.core.actors import Actor
from apps.core.ids import new_id
from apps.core.provenance import Request
from apps.data.operations.recording import told
from apps.timeline import queries
from apps.timeline.operations import Document, expire_keys

# What one sweep does: so many looks at the keys that are due first, and of each
# document that it meets so many of its keys.
LOOKS = 20
KEYS = 1_000

_DUE = sql.across("""
SELECT h.session_id, s.project_id, s.agent_id
  FROM timeline_keyhead h
  JOIN timeline_session s ON s.id = h.session_id
 WHERE h.expires_at <= %(now)s
 ORDER BY h.expires_at
 LIMIT %(most)s
""")


def expire_due(*, actor: Actor, now: datetime) -> int:
    """Record, document by document, the keys whose time is over; say how many.

    What a sweep does is bounded; the next one goes on.
    """
    expired = 0
    for _ in range(LOOKS):
        swept = sum(_expire(one, actor, now) for one in _due(now))
        expired += swept
        if not swept:
            break
    return expired


def _due(now: datetime) -> list[Document]:
    """Return the agents' documents that have keys which are due first.

    Other apps keep documents as well, and sweep them themselves.
    """
    rows = sql.rows(_DUE, {"now": now, "most": KEYS})
    found = {row.session_id: row for row in rows}
    ids = {row.project_id for row in rows}
    projects = {one.id: one for one in Project.objects.filter(id__in=ids)}
    documents = (
        (name, Document.of_agent(projects[row.project_id], row.agent_id))
        for name, row in found.items()
    )
    return [document for name, document in documents if document.id == name]


def _expire(document: Document, actor: Actor, now: datetime) -> int:
    moment = queries.moment_to_expire(document.id, now=now, most=KEYS)
    if moment is None:
        return 0
    act = Act(
        scope=Scope(document.project),
        actor=actor,
        now=now,
        request=Request(id=new_id("req", now=now)),
    )
    about = told(Operation.DATA_EXPIRE, "", event=Action.DATA_EXPIRED)
    return expire_keys(act=act, document=document, moment=moment, told=about)
