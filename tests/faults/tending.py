"""An agent's data that the worker tends: expiry, a schedule, a restore by steps.

Whatever happens to the worker, each of it is done once and whole: a key that expires
has one end, a moment that is due one checkpoint, a restore each of its steps.
"""

from __future__ import annotations

import time
from typing import Any

import psycopg

from apps.core.roles.names import Role
from tests.faults import family
from tests.faults.house import House
from tests.faults.journal import Violation
from tests.faults.keeping import Keeper
from tests.live import manage

BATCH = 100
# How long a value lives that is to expire.
LIVES_SECONDS = 1.0
DAY_SECONDS = 86_400
DONE_SECONDS = 150
BEGUN_SECONDS = 20
START = """
from django.utils import timezone
from apps.accounts.models import ApiKey
from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.core.actors import Actor, ActorKind
from apps.core.provenance import Request
from apps.data import operations as data
agent = Agent.objects.get(external_id={name!r})
key = ApiKey.objects.filter(project_id=agent.project_id)[0]
actor = Actor(kind=ActorKind.KEY, id=key.id, label="whose answer was lost")
act = Act(scope=Scope(agent.project), actor=actor, now=timezone.now(),
          request=Request(id="req_tended"), api_key_id=key.id)
wanted = data.RestoreWanted(config=False)
data.start_restore(act=act, reference=agent.id, checkpoint_id={checkpoint!r},
                   wanted=wanted)
"""
DOCUMENT = """
SELECT c.session_id FROM data_checkpoint c WHERE c.id = %s
"""
RUNNING = """
SELECT count(*) FROM data_longrestore WHERE session_id = %s AND state = 'running'
"""
# The moment before the next: it has come, and has no checkpoint yet.
DUE = """
UPDATE data_schedule SET due_at = due_at - interval '1 hour'
 WHERE session_id = %s AND due_at > now()
"""
LEFT = """
SELECT (SELECT count(*) FROM timeline_keyhead
         WHERE session_id = %(id)s AND expires_at IS NOT NULL)
     + (SELECT count(*) FROM data_longrestore
         WHERE session_id = %(id)s AND state = 'running')
     + (SELECT count(*) FROM data_schedule
         WHERE session_id = %(id)s AND due_at <= now())
"""
# Keys that were set for a while, and how often each ended.
ENDED = """
SELECT count(*) AS keys, count(*) FILTER (WHERE e.ends = 1) AS once,
       coalesce(sum(e.expired), 0)::bigint AS expired
  FROM (SELECT count(*) FILTER (WHERE cause <> 'set') AS ends,
               count(*) FILTER (WHERE cause = 'expired') AS expired
          FROM timeline_entry
         WHERE session_id = %s AND starts_with(key, 'brief:') GROUP BY key) e
"""
VERSIONS = """
SELECT v.op, count(*) FROM timeline_version v WHERE v.session_id = %s GROUP BY v.op
"""
RECORDS = """
SELECT count(*) FROM audit_auditrecord r
  JOIN timeline_version v ON v.session_id = %(id)s AND v.number = r.version
 WHERE r.stream_id = %(agent)s AND v.op = 'expire'
"""
EVENTS = """
SELECT count(*) FROM audit_event WHERE stream_id = %s AND action = 'data.expired'
"""
RESTORES = """
SELECT state, code, total, passed, changed, steps FROM data_longrestore
 WHERE session_id = %s
"""
DONE = """
SELECT (SELECT count(*) FROM timeline_version
         WHERE session_id = %(id)s AND op IN ('expire', 'rollback'))
     + (SELECT count(*) FROM data_checkpoint WHERE session_id = %(id)s)
"""
SCHEDULED = """
SELECT count(*) FROM data_checkpoint WHERE session_id = %s AND metadata ? 'due_at'
"""


class Tended(Keeper):
    """One agent with so many keys, which are deleted and brought back, and others."""

    def __init__(self, at: House, name: str, keys: int) -> None:
        super().__init__(at, name)
        self.name, self.keys = name, keys
        lives = {"brief:": LIVES_SECONDS / DAY_SECONDS}
        policies = {"retention_by_prefix": lives}
        config = {"audit": {"reads": False}, "policies": policies}
        self._sent("PUT", f"{self.path}/config", config)
        for first in range(0, keys, BATCH):
            self._write({f"kept:{first + at:06}": "v" for at in range(BATCH)})
        made = self._sent("POST", f"{self.path}/checkpoints", {"label": "all of it"})
        self.checkpoint: str = made["id"]
        self._sent("PUT", f"{self.path}/checkpoints/schedule", {"schedule": "hourly"})
        self.document: str = self._one(DOCUMENT, self.checkpoint)
        self.agent_id: str = made["agent_id"]
        self.rounds = self.due = self.restores = self.brief = 0

    def give_work(self) -> None:
        """Have work for the worker: keys that expire, a moment, a restore."""
        if self._one(RUNNING, self.document) == 0:
            self._sent("DELETE", f"{self.path}/data?prefix=kept:")
            self._sent("DELETE", f"{self.path}/data?prefix=brief:")
            run = START.format(name=self.name, checkpoint=self.checkpoint)
            manage(self.at.dsn, "shell", "--no-imports", "-c", run, role=Role.WEB)
            self.restores += 1
            # What was written before the restore goes with it.
            self.kept = {key: "v" for key in self.kept if key.startswith("kept:")}
        self.due += self._changed(DUE, self.document)
        self._write({f"mine:{self.rounds}": "stays"})
        brief = [f"brief:{self.rounds}:{at}" for at in range(BATCH)]
        self._write(dict.fromkeys(brief, "goes"))
        for key in brief:
            del self.kept[key]
        self.brief += len(brief)
        self.rounds += 1

    def wait_until_it_is_at_work(self) -> None:
        """Wait until the worker has done something of it, but not for ever."""
        asked = {"id": self.document}
        before = self._one(DONE, asked)
        family.wait_for(lambda: self._one(DONE, asked) > before, BEGUN_SECONDS)

    def require_done(self) -> float:
        """Wait until the worker is done, and look at all of it; return the seconds.

        Raises: Violation.
        """
        began = time.monotonic()
        asked = {"id": self.document}
        if not family.wait_for(lambda: self._one(LEFT, asked) == 0, DONE_SECONDS):
            raise Violation("what an agent's data waits for is not done")
        taken = time.monotonic() - began
        self.look()
        self.prove()
        self._require_expired()
        self._require_restored()
        made = self._one(SCHEDULED, self.document)
        if made != self.due:
            raise Violation(f"{self.due} moments were due, {made} checkpoints made")
        return taken

    @property
    def told(self) -> str:
        return (
            f"an agent's data, tended meanwhile: {self.brief} keys that expired,"
            f" {self.due} moments on a schedule, {self.restores} restores of"
            f" {self.keys:,} keys"
        )

    def _require_expired(self) -> None:
        """Raises: Violation where a key ended twice, or a sweep is not whole."""
        keys, once, expired = self._row(ENDED, self.document)
        if (keys, once) != (self.brief, self.brief):
            raise Violation(f"of {self.brief} keys {once} of {keys} ended once")
        ops = dict(self._rows(VERSIONS, self.document))
        swept = ops.get("expire", 0)
        asked = {"id": self.document, "agent": self.agent_id}
        records, events = self._one(RECORDS, asked), self._one(EVENTS, self.document)
        if not swept <= expired or (records, events) != (swept, swept):
            raise Violation(
                f"{swept} sweeps expired {expired} keys, with {records} records and"
                f" {events} events"
            )

    def _require_restored(self) -> None:
        """Raises: Violation where a step was left out, or made twice."""
        found = self._rows(RESTORES, self.document)
        if len(found) != self.restores:
            raise Violation(f"{self.restores} restores began, {len(found)} are there")
        for state, code, total, passed, changed, _ in found:
            if (state, passed, changed) != ("done", total, self.keys):
                said = f"{state} {code}: {passed} of {total} gone through"
                raise Violation(f"a restore is {said}, {changed} keys changed")
        steps = sum(one[-1] for one in found)
        made = dict(self._rows(VERSIONS, self.document)).get("rollback", 0)
        if made != steps:
            raise Violation(f"{steps} steps were made, and {made} versions of them")

    def _write(self, values: dict[str, str]) -> None:
        entries = [{"key": key, "value": text} for key, text in values.items()]
        self._sent("POST", f"{self.path}/data/batch", {"entries": entries})
        self.kept |= values

    def _one(self, query: str, asked: Any) -> Any:
        return self._row(query, asked)[0]

    def _row(self, query: str, asked: Any) -> Any:
        (row,) = self._rows(query, asked)
        return row

    def _rows(self, query: str, asked: Any) -> list[Any]:
        given = asked if isinstance(asked, dict) else [asked]
        with psycopg.connect(self.at.dsn, autocommit=True) as connection:
            return connection.execute(query, given).fetchall()

    def _changed(self, query: str, asked: str) -> int:
        with psycopg.connect(self.at.dsn, autocommit=True) as connection:
            return connection.execute(query, [asked]).rowcount
