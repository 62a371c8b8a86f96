"""Loads many sessions, and many versions of one, by COPY.

The rows are made by the product's own code, which seals each version as an append
does, so `verify` accepts them; only the SQL functions, which would store them one by
one, are passed by, and what they add (number, chain, time) is added here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from django.db import connection
from psycopg import sql as pg

from apps.accounts.models import Project
from apps.agents import operations as agents
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.core import json, sql
from apps.core.actors import SYSTEM, Actor
from apps.core.ids import new_id
from apps.core.json import State
from apps.timeline import batches, bundles, proof, reading, sealing
from apps.timeline.about import About, metadata_bytes
from apps.timeline.beginnings import Beginning
from apps.timeline.drafts import Draft, Request, Step, Write
from apps.timeline.events import Stamp
from apps.timeline.operations.states import draft_of
from apps.timeline.sealing import Sealed
from apps.timeline.words import Hold, Op
from tests.benchmarks import states

AGENT = "bench"
# In the order of their foreign keys, but for a version and its body, of which one
# is checked at commit.
TABLES = (
    "timeline_session",
    "timeline_version",
    "timeline_body",
    "timeline_change",
    "audit_event",
)
REQUEST = Request(id="req_loader", digest=sha256(b"loader").digest())
ROWS_AT_ONCE = 2_000

Row = dict[str, Any]


@dataclass(slots=True)
class Rows:
    """Rows of all tables, to be copied together."""

    by_table: dict[str, list[Row]] = field(
        default_factory=lambda: {table: [] for table in TABLES}
    )

    def add(self, stamp: Stamp, sealed: Sealed, previous: bytes, at: datetime) -> bytes:
        """Add what the SQL functions make of it; return the new end of the chain."""
        version = sealed.version
        assert version is not None
        key = {"session_id": stamp.session_id, "number": stamp.number}
        leaf = bytes.fromhex(version["leaf"].removeprefix("\\x"))
        chain = proof.chain(previous, stamp.number, leaf)
        parent = stamp.number - 1 if stamp.number else None
        shown = version["body_number"]
        self.by_table["timeline_version"].append(
            version
            | key
            | {
                "parent_number": parent,
                "body_number": stamp.number if shown is None else shown,
                "created_at": at,
                "chain": chain,
            }
        )
        if sealed.body is not None:
            body = sealed.body | key | {"data": sealed.data}
            self.by_table["timeline_body"].append(body)
        columns = sealed.marks
        self.by_table["timeline_change"] += [
            key | {"path_key": path, "role": role, "kind": kind, "value_key": value}
            for path, role, kind, value in zip(
                columns.path_keys,
                columns.roles,
                columns.kinds,
                columns.value_keys,
                strict=True,
            )
        ]
        self.by_table["audit_event"] += [
            event
            | {
                "stream_id": stamp.session_id,
                "project_id": stamp.project.id,
                "number": stamp.number,
                "created_at": at,
            }
            for event in sealed.events
        ]
        return chain

    def copy(self) -> None:
        """Copy all rows, and forget them."""
        for table, rows in self.by_table.items():
            if rows:
                _copy(table, rows)
                rows.clear()


def _copy(table: str, rows: list[Row]) -> None:
    names = list(rows[0])
    statement = pg.SQL("COPY {} ({}) FROM STDIN").format(
        pg.Identifier(table), pg.SQL(", ").join(map(pg.Identifier, names))
    )
    connection.ensure_connection()
    with connection.connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row([_written(row[name]) for name in names])


def _written(value: Any) -> Any:
    if isinstance(value, dict | list):
        return json.dumps(value).decode()
    return value


def skip_foreign_keys() -> None:
    """As a superuser, stop looking at each foreign key; as anybody else, go on."""
    (me,) = sql.rows("SELECT usesuper FROM pg_user WHERE usename = current_user", [])
    if me.usesuper:
        with connection.cursor() as cursor:
            cursor.execute("SET session_replication_role = replica")


@dataclass(frozen=True, slots=True)
class _Template:
    """One session sealed whole, of which others are made."""

    draft: Draft
    stamp: Stamp
    sealed: Sealed


class Loader:
    """Loads into one project, as one actor."""

    def __init__(self, project: Project, *, now: datetime) -> None:
        self.project = project
        self.actor: Actor = SYSTEM
        self.now = now
        self.rows = Rows()
        self.agent: Agent = agents.register(
            project=project,
            external_id=AGENT,
            actor=self.actor,
            now=now,
            request_id=REQUEST.id,
        )

    def sessions(self, found: Iterable[State], count: int) -> list[str]:
        """Load `count` sessions that begin with these states in turn; return ids.

        The first of every state is sealed whole, the others are told apart from it:
        id, time, trace id, leaf and chain are their own; salts are shared, as by
        forks.
        """
        templates = [self._template(state) for state in found]
        ids = []
        for at in range(count):
            template = templates[at % len(templates)]
            now = self.now + timedelta(milliseconds=at)
            ids.append(self._session(template, now, is_first=at < len(templates)))
            if at % ROWS_AT_ONCE == ROWS_AT_ONCE - 1:
                self.rows.copy()
        self.rows.copy()
        return ids

    def versions(self, session_id: str, patches: Iterable[State]) -> None:
        """Append an update for each patch, sealed each on the one before."""
        head = reading.head(Scope(self.project), session_id, now=self.now)
        chain, at, facets = head.chain, head.created_at, None
        for count, patch in enumerate(patches, 1):
            draft = draft_of(
                Op.UPDATE,
                head,
                state=json.merged(reading.parsed(head), patch),
                given=(),
                step=Step(),
            )
            now = self.now + timedelta(milliseconds=count)
            sealed = sealing.seal_write(
                Write(draft=draft),
                head=head,
                project=self.project,
                actor=self.actor,
                now=now,
                request=REQUEST,
            )
            at = max(at, now)
            stamp = self._stamp(session_id, head.number + 1, now)
            chain = self.rows.add(stamp, sealed, chain, at)
            facets = sealed.facets or facets
            head = batches._following(head, draft, sealed)
            if count % ROWS_AT_ONCE == 0:
                self.rows.copy()
        self.rows.copy()
        self._update_projection(session_id, head.number, at, facets)

    def _template(self, state: State) -> _Template:
        stamp = self._stamp(new_id("sess", now=self.now), 0, self.now)
        draft = Draft(
            op=Op.CREATE, hold=Hold.OPEN, step=Step(), parts=bundles.assembled(state)
        )
        sealed = sealing.seal_first(draft, stamp, state=state, before={})
        return _Template(draft, stamp, sealed)

    def _session(self, template: _Template, now: datetime, *, is_first: bool) -> str:
        stamp, sealed = template.stamp, template.sealed
        if not is_first:
            stamp = self._stamp(new_id("sess", now=now), 0, now)
            sealed = _restamped(template, stamp)
        start = Beginning(Scope(self.project), About(), self.actor, stamp.now, REQUEST)
        session = start._session(self.agent, sealed, {}, metadata_bytes({}), None)
        self.rows.by_table["timeline_session"].append(
            session | {"id": stamp.session_id}
        )
        self.rows.add(stamp, sealed, proof.NO_CHAIN, stamp.now)
        return stamp.session_id

    def _stamp(self, session_id: str, number: int, now: datetime) -> Stamp:
        return Stamp(
            project=self.project,
            session_id=session_id,
            number=number,
            actor=self.actor,
            now=now,
            request=REQUEST,
        )

    def _update_projection(
        self, session_id: str, number: int, at: datetime, facets: State | None
    ) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                """
                UPDATE timeline_session
                   SET head_number = %s, updated_at = %s,
                       facets = coalesce(%s::jsonb, facets)
                 WHERE id = %s
                """,
                [number, at, facets and _written(facets), session_id],
            )


def _restamped(template: _Template, stamp: Stamp) -> Sealed:
    """Return the sealed first version as another session's: same state, own claim."""
    version = template.sealed.version
    assert version is not None
    event_id = stamp.event_id()
    commitment, salt = (
        bytes.fromhex(version[name].removeprefix("\\x"))
        for name in ("commitment", "salt")
    )
    claim = sealing._claim(template.draft, stamp, commitment, salt, event_id)
    told = {
        "trace_id": event_id,
        "leaf": "\\x" + claim.leaf().hex(),
        "requested_at": stamp.now.isoformat(),
    }
    (event,) = template.sealed.events
    return replace(
        template.sealed,
        version=version | told,
        events=[event | {"id": event_id, "resource_id": stamp.session_id}],
    )


def small_states(count: int) -> Iterator[State]:
    """Yield states of an order, some values shared by many, some by none."""
    said = states.texts(count, 120)
    for at in range(count):
        yield {
            "order": f"A-{at:06}",
            "status": ("open", "paid", "shipped")[at % 3],
            "total": at * 7 % 1000,
            "note": said[at],
        }


def steps(count: int) -> Iterator[State]:
    """Yield what an agent sends with each of so many steps."""
    said = states.texts(997, 120)
    for at in range(count):
        yield {"step": at, "said": said[at % len(said)]}
