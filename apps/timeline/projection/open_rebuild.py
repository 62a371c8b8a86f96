"""Make anew what is open in a session, from its versions, their states and effects.

To repair what `manage.py verify` names.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.db import transaction

from apps.agents.models import Agent
from apps.agents.waiting import Rules, rules
from apps.core import sql
from apps.timeline import hooks
from apps.timeline.ledger.encoding.writes import SILENT, waits
from apps.timeline.ledger.locking import lock_session
from apps.timeline.models import EffectDue, Open, Session
from apps.timeline.versions import fetching, reading
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Hold, OpenKind

AT_ONCE = 100

_RECOUNT = sql.statement("timeline", "recount_open_v1") + " RETURNING 1"
# In a session that is over too: the next sweep takes it away, as it always does.
_WAITED_FOR = sql.of_session("""
INSERT INTO timeline_effectdue (session_id, effect_id, due_at)
SELECT %(session)s::varchar, t.effect_id, t.deadline FROM timeline_effectstep t
 WHERE t.session_id = %(session)s AND t.status = 'begun'
   AND NOT EXISTS (
       SELECT FROM timeline_effectstep n
        WHERE n.session_id = %(session)s AND n.effect_id = t.effect_id
          AND n.ordinal > t.ordinal)
RETURNING 1
""")


@transaction.atomic
def rebuild(session_id: str) -> None:
    """Make it anew while nobody writes to the session.

    Raises: bodies.CorruptBody; then all stays as it was.
    """
    lock_session(session_id)
    session = Session.objects.get(id=session_id)
    EffectDue.objects.filter(session_id=session_id).delete()
    sql.rows(_WAITED_FOR, {"session": session_id})
    hooks.rebuild_derived(session_id)
    Open.objects.filter(session_id=session_id).delete()
    sql.rows(_RECOUNT, {"sessions": [session_id]})
    head = fetching.heads([session_id])[session_id]
    if session.expired_at is not None or head.hold in (Hold.CLOSED, Hold.DELETED):
        return
    agent = Agent.objects.get(id=session.agent_id)
    since = _waiting_since(session_id, rules(agent.waiting))
    if since is not None:
        Open.objects.create(
            session_id=session_id,
            kind=OpenKind.WAITING,
            number=since.number,
            project_id=session.project_id,
            agent_id=session.agent_id,
            at=since.created_at,
        )


def _waiting_since(session_id: str, among: Rules) -> VersionRow | None:
    """Walk back from the head to the first version that asks, of those that do."""
    since: VersionRow | None = None
    for version in _newest_first(session_id):
        if version.op in SILENT:
            continue
        if not waits(reading.parsed(version), version.objective_status, among):
            return since
        since = version
    return since


def _newest_first(session_id: str) -> Iterator[VersionRow]:
    after: int | None = None
    while True:
        found = fetching.versions_of(
            session_id, newest_first=True, after=after, limit=AT_ONCE
        )
        yield from found[:AT_ONCE]
        if len(found) <= AT_ONCE:
            return
        after = found[AT_ONCE - 1].number
