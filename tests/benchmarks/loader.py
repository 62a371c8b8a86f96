"""Loads many sessions, and many versions of one, by COPY.

The rows are made by the product's own code, which seals each version as an append
does, so `verify` accepts them; only the SQL functions, which would store them one by
one, are passed by, and what they add (number, chain, time) is added here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from django.db import connection

from apps.accounts.models import Project
from apps.agents import operations as agents
from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.core import json, sql
from apps.core.actors import SYSTEM, Actor
from apps.core.ids import new_id
from apps.core.json import State
from apps.core.provenance import Request
from apps.timeline.bodies import bundles
from apps.timeline.ledger import batches, sealing
from apps.timeline.ledger.beginnings import SessionCreation
from apps.timeline.ledger.drafts import Draft, Step, Write
from apps.timeline.ledger.events import Stamp
from apps.timeline.ledger.facts.about import About, metadata_bytes
from apps.timeline.ledger.sealing import EncodedWrite
from apps.timeline.operations.states import draft_of
from apps.timeline.versions import proof, reading
from apps.timeline.words import Hold, Op
from tests.benchmarks import states
from tests.benchmarks.copying import Block, Row, Rows

AGENT = "bench"
REQUEST = Request(id="req_loader", digest=sha256(b"loader").digest())
ROWS_AT_ONCE = 2_000

CHANGE = ("path_key", "role", "kind", "value_key")


def rows_of(
    stamp: Stamp, sealed: EncodedWrite, previous: bytes, at: datetime, agent_id: str
) -> tuple[dict[str, list[Row]], bytes]:
    """Return the rows that the SQL functions make of it, and the chain's new end."""
    version = sealed.version
    assert version is not None
    key = {"session_id": stamp.session_id, "number": stamp.number}
    chain = proof.chain(previous, stamp.number, _bytes(version["leaf"]))
    shown = version["body_number"]
    stored = version | {
        "parent_number": stamp.number - 1 if stamp.number else None,
        "body_number": stamp.number if shown is None else shown,
        "created_at": at,
        "chain": chain,
    }
    marks = sealed.marks
    columns = (marks.path_keys, marks.roles, marks.kinds, marks.value_keys)
    event = {
        "stream_id": stamp.session_id,
        "project_id": stamp.act.project_id,
        "number": stamp.number,
        "created_at": at,
    }
    rows: dict[str, list[Row]] = {
        "timeline_version": [stored | key],
        "timeline_body": [],
        "timeline_change": [
            key | dict(zip(CHANGE, mark, strict=True))
            for mark in zip(*columns, strict=True)
        ],
        "audit_event": [one | event for one in sealed.events],
        "timeline_open": [],
    }
    # Nothing here asks for a human, is paused or goes back.
    assert not sealed.waits
    if version["flags"]:
        whose = {"project_id": stamp.act.project_id, "agent_id": agent_id}
        rows["timeline_open"].append(key | whose | {"kind": "flagged", "at": at})
    if sealed.body is not None:
        rows["timeline_body"].append(sealed.body | key | {"data": sealed.data})
    return rows, chain


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.removeprefix("\\x"))


@dataclass(frozen=True, slots=True)
class _Template:
    """One session sealed whole, its rows as text, of which others are made."""

    draft: Draft
    stamp: Stamp
    version: Row
    chain: bytes
    block: Block

    def restamped(self, stamp: Stamp) -> Block:
        """Return the rows of another session with the same state: its own claim."""
        old, trace_id = self.version, stamp.event_id()
        secrets = _bytes(old["commitment"]), _bytes(old["salt"])
        leaf = sealing._claim(self.draft, stamp, *secrets, trace_id).leaf()
        chain = proof.chain(proof.NO_CHAIN, 0, leaf)
        told = (
            (self.stamp.session_id, stamp.session_id),
            (old["trace_id"], trace_id),
            (old["leaf"][2:], leaf.hex()),
            (self.chain.hex(), chain.hex()),
            (self.stamp.act.now.isoformat(), stamp.act.now.isoformat()),
        )
        block = {}
        for table, text in self.block.items():
            for before, after in told:
                text = text.replace(before, after)
            block[table] = text
        return block


class Loader:
    """Loads into one project, as one actor."""

    def __init__(self, project: Project, *, now: datetime) -> None:
        self.project = project
        self.actor: Actor = SYSTEM
        self.now = now
        self.rows = Rows()
        self.agent: Agent = agents.register(act=self._act(now), external_id=AGENT)

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
            if at < len(templates):
                stamp, block = template.stamp, template.block
            else:
                stamp = self._first(self.now + timedelta(milliseconds=at))
                block = template.restamped(stamp)
            ids.append(stamp.session_id)
            self.rows.add(block)
            if at % ROWS_AT_ONCE == ROWS_AT_ONCE - 1:
                self.rows.copy()
        self.rows.copy()
        return ids

    def versions(self, session_id: str, patches: Iterable[State]) -> None:
        """Append an update for each patch, sealed each on the one before."""
        head = reading.head(Scope(self.project), session_id, now=self.now)
        chain, at, facets = head.chain, head.created_at, None
        terms: dict[bytes, bytes | None] = {}
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
                Write(draft=draft), head=head, act=self._act(now)
            )
            at = max(at, now)
            stamp = self._stamp(session_id, head.number + 1, now)
            rows, chain = rows_of(stamp, sealed, chain, at, self.agent.id)
            self.rows.add(self.rows.block(rows))
            facets = sealed.facets or facets
            terms |= sealed.terms
            head = batches._following(head, draft, sealed)
            if count % ROWS_AT_ONCE == 0:
                self.rows.copy()
        self.rows.copy()
        sql.rows(
            "SELECT timeline_set_terms_v1(%s, %s::bytea[], %s::bytea[])",
            [session_id, list(terms), list(terms.values())],
        )
        self._update_projection(session_id, head.number, at, facets)

    def _template(self, state: State) -> _Template:
        stamp = self._first(self.now)
        draft = Draft(
            op=Op.CREATE, hold=Hold.OPEN, step=Step(), parts=bundles.assembled(state)
        )
        sealed = sealing.seal_first(draft, stamp, state=state, before={})
        start = SessionCreation(self._act(self.now), About())
        session = start._session(self.agent, sealed, {}, metadata_bytes({}), None)
        rows, chain = rows_of(stamp, sealed, proof.NO_CHAIN, self.now, self.agent.id)
        rows["timeline_session"] = [session | {"id": stamp.session_id}]
        rows["timeline_term"] = [
            {"session_id": stamp.session_id, "path_key": path, "value_key": value}
            for path, value in sealed.terms.items()
            if value is not None
        ]
        assert sealed.version is not None
        return _Template(draft, stamp, sealed.version, chain, self.rows.block(rows))

    def _first(self, now: datetime) -> Stamp:
        return self._stamp(new_id("sess", now=now), 0, now)

    def _stamp(self, session_id: str, number: int, now: datetime) -> Stamp:
        return Stamp(act=self._act(now), session_id=session_id, number=number)

    def _act(self, now: datetime) -> Act:
        return Act(
            scope=Scope(self.project), actor=self.actor, now=now, request=REQUEST
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
                [number, at, facets and json.dumps(facets).decode(), session_id],
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
