"""A keyed document as tests write to it: by the timeline's own operations."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import orjson
from django.utils import timezone

from apps.accounts.models import Project
from apps.agents import operations as agents
from apps.agents.acts import Act
from apps.audit.streams import Operation
from apps.core import json
from apps.core.actors import SYSTEM, Actor
from apps.timeline import operations as timeline
from apps.timeline import queries
from apps.timeline.operations import (
    CONFIG_KEY,
    Document,
    NewEntry,
    Restoration,
    Restored,
    Told,
    Written,
)
from apps.timeline.words import KeyedOp
from tests.acts import act_in

# Acts of tests have digests of their own, as requests have.
_ACTS = count(1)


def told(operation: Operation = Operation.DATA_WRITE, resource: str = "") -> Told:
    return Told(operation=operation, resource_type="data", resource_id=resource)


def new_entry(
    key: str, value: str, expires_at: datetime | None = None, **more: Any
) -> NewEntry:
    body: dict[str, Any] = {
        "key": key,
        "value": value,
        "metadata": {},
        "expires_at": None,
    }
    if expires_at is not None:
        body["expires_at"] = expires_at.isoformat()
    return NewEntry(
        key=key,
        body=json.dumps(body),
        size=len(value.encode()),
        told=told(resource=key),
        expires_at=expires_at,
        **more,
    )


@dataclass
class Keeper:
    """One agent's document; each act is a moment after the one before."""

    project: Project
    document: Document
    actor: Actor = SYSTEM
    ago: timedelta = timedelta(0)

    @classmethod
    def begin(cls, project: Project, name: str = "keeper") -> Keeper:
        agent = agents.create(act=act_in(project), external_id=name, fields={})
        return cls(project, timeline.Document.of_agent(project, agent.id))

    def act(self, **request: Any) -> Act:
        request.setdefault("digest", next(_ACTS).to_bytes(32, "big"))
        return act_in(self.project, self.actor, timezone.now() + self.ago, **request)

    def put(self, key: str, value: str = "v", **more: Any) -> Written:
        return self.put_all([new_entry(key, value, **more)])

    def put_all(
        self,
        entries: list[NewEntry],
        *,
        act: Act | None = None,
        config: int | None = None,
        most_keys: int | None = None,
    ) -> Written:
        return timeline.write_entries(
            act=act or self.act(),
            document=self.document,
            entries=entries,
            config=config,
            most_keys=most_keys,
        )

    def configure(self, **config: Any) -> Written:
        body = json.dumps({"config": config})
        entry = NewEntry(
            key=CONFIG_KEY,
            body=body,
            size=len(body),
            told=told(Operation.CONFIG_UPDATE, "config"),
            op=KeyedOp.CONFIGURE,
        )
        return self.put_all([entry])

    def remove(self, key: str) -> Written:
        return timeline.remove_key(
            act=self.act(),
            document=self.document,
            key=key,
            told=told(Operation.DATA_DELETE, key),
        )

    def remove_prefix(self, prefix: str) -> int:
        _, removed = timeline.remove_prefix(
            act=self.act(),
            document=self.document,
            prefix=prefix,
            told=told(Operation.DATA_DELETE_PREFIX, prefix),
        )
        return removed

    def restore(
        self,
        target: int,
        *,
        config: bool = True,
        data: bool = True,
        act: Act | None = None,
        **more: int,
    ) -> Restored:
        wanted = Restoration(target=target, config=config, data=data, **more)
        return timeline.restore_document(
            act=act or self.act(),
            document=self.document,
            wanted=wanted,
            told=told(Operation.CHECKPOINT_RESTORE),
        )

    def expire(self) -> int:
        act = self.act()
        moment = queries.moment_to_expire(self.document.id, now=act.now, most=1000)
        if moment is None:
            return 0
        return timeline.expire_keys(
            act=act,
            document=self.document,
            moment=moment,
            told=told(Operation.DATA_EXPIRE),
        )

    def values(self) -> dict[str, str]:
        rows = queries.entries(
            self.document.id, limit=1000, now=timezone.now() + self.ago
        )
        return self._values(rows)

    def values_at(self, number: int) -> dict[str, str]:
        rows = queries.entries_at(
            self.document.id,
            number,
            limit=1000,
            moment=timezone.now() + self.ago,
        )
        return self._values(rows)

    def config(self) -> Any:
        row = queries.entry(self.document.id, CONFIG_KEY, now=timezone.now())
        (body,) = queries.contents(self.document.id, [row]).values()
        return orjson.loads(body)["config"]

    def standing(self) -> Any:
        return queries.standing(self.document.id, now=timezone.now() + self.ago)

    def _values(self, rows: list[queries.EntryRow]) -> dict[str, str]:
        bodies = queries.contents(self.document.id, rows)
        return {
            row.key: orjson.loads(bodies[row.body_number or 0])["value"] for row in rows
        }
