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
from apps.agents.waiting import rules as rules_of
from apps.core import json, sql
from apps.core.actors import SYSTEM, Actor
from apps.core.ids import new_id
from apps.core.json import State
from apps.core.provenance import Request
from apps.timeline.bodies import bundles
from apps.timeline.ledger.beginning.creation import SessionCreation
from apps.timeline.ledger.drafts import Draft, Write
from apps.timeline.ledger.encoding import batches, calls, firsts, rows, writes
from apps.timeline.ledger.encoding.values import EncodedWrite, NewVersion, Stamp
from apps.timeline.ledger.facts.about import About, metadata_bytes
from apps.timeline.operations.states import draft_of
from apps.timeline.versions import fetching, proof, reading
from apps.timeline.versions.reading import Step
from apps.timeline.words import Hold, Op
from tests.benchmarks import states
from tests.benchmarks.copying import Block, Row, Rows

AGENT = "bench"
REQUEST = Request(id="req_loader", digest=sha256(b"loader").digest())
ROWS_AT_ONCE = 2_000

CHANGE = ("path_key", "role", "kind", "value_key")
# What the function is given beside a version's own columns.
OF_OTHERS = (
    *("version_key", "base_number", "depth", "codec", "body_salt", "body_size"),
    *("data", "waits", "event_id", "action", "resource_type", "details"),
)


def rows_of(
    stamp: Stamp, encoded: EncodedWrite, previous: bytes, at: datetime, agent_id: str
) -> tuple[dict[str, list[Row]], bytes]:
    """Return the rows that the SQL functions make of it, and the chain's new end."""
    version, body = encoded.version, encoded.body
    assert version is not None
    given = rows.of_version(encoded)
    key = {"session_id": stamp.session_id, "number": stamp.number}
    chain = proof.chain(previous, stamp.number, version.leaf)
    actor = {
        "actor_kind": stamp.act.actor.kind,
        "actor_id": stamp.act.actor.id,
        "actor_label": stamp.act.actor.label,
    }
    whose = {"project_id": stamp.act.project_id, "created_at": at}
    shown = version.body_number
    stored = {name: given[name] for name in calls.VERSION if name not in OF_OTHERS}
    stored |= (
        key
        | actor
        | {
            "parent_number": stamp.number - 1 if stamp.number else None,
            "body_number": stamp.number if shown is None else shown,
            "request_key": version.request_key,
            "request_digest": stamp.act.request.digest,
            "chain": chain,
            "requested_at": stamp.act.now,
            "created_at": at,
        }
    )
    event = (
        key
        | actor
        | whose
        | {
            "stream_id": stamp.session_id,
            "id": version.event_id,
            "action": version.action,
            "resource_type": version.resource_type,
            "resource_id": stamp.session_id,
            "details": given["details"],
            "request_id": stamp.act.request.id,
        }
    )
    del event["session_id"]
    changes = encoded.changes
    columns = (changes.path_keys, changes.roles, changes.kinds, changes.value_keys)
    made: dict[str, list[Row]] = {
        "timeline_version": [stored],
        "timeline_body": [],
        "timeline_change": [
            key | dict(zip(CHANGE, change, strict=True))
            for change in zip(*columns, strict=True)
        ],
        "audit_event": [event],
        "timeline_open": [],
    }
    # Nothing here asks for a human, is paused or goes back.
    assert not encoded.waits
    if version.flags:
        found = {"project_id": stamp.act.project_id, "agent_id": agent_id}
        made["timeline_open"].append(key | found | {"kind": "flagged", "at": at})
    if body is not None:
        names = ("base_number", "depth", "codec", "salt", "data", "size")
        made["timeline_body"].append(
            key | {name: getattr(body, name) for name in names}
        )
    return made, chain


@dataclass(frozen=True, slots=True)
class _Template:
    """One session encoded whole, its rows as text, of which others are made."""

    draft: Draft
    stamp: Stamp
    version: NewVersion
    chain: bytes
    block: Block

    def restamped(self, stamp: Stamp) -> Block:
        """Return the rows of another session with the same state: its own claim."""
        old, trace_id = self.version, rows.event_id(stamp)
        secrets = old.commitment, old.salt
        leaf = rows.claim_of(self.draft, stamp, *secrets, trace_id).leaf()
        chain = proof.chain(proof.NO_CHAIN, 0, leaf)
        told = (
            (self.stamp.session_id, stamp.session_id),
            (old.trace_id, trace_id),
            (old.leaf.hex(), leaf.hex()),
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

        The first of every state is encoded whole, the others are told apart from it:
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
        """Append an update for each patch, encoded each on the one before."""
        head = fetching.head(Scope(self.project), session_id, now=self.now)
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
            encoded = writes.encode_write(
                Write(draft=draft), head=head, act=self._act(now)
            )
            at = max(at, now)
            stamp = self._stamp(session_id, head.number + 1, now)
            made, chain = rows_of(stamp, encoded, chain, at, self.agent.id)
            self.rows.add(self.rows.block(made))
            facets = encoded.facets or facets
            terms |= encoded.terms
            head = batches._following(head, draft, encoded, self._act(now))
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
        rules = rules_of(self.agent.waiting)
        encoded = firsts.encode_first(draft, stamp, state=state, before={}, rules=rules)
        start = SessionCreation(self._act(self.now), About())
        session = _session_row(start, self.agent, encoded)
        made, chain = rows_of(stamp, encoded, proof.NO_CHAIN, self.now, self.agent.id)
        made["timeline_session"] = [session | {"id": stamp.session_id}]
        made["timeline_term"] = [
            {"session_id": stamp.session_id, "path_key": path, "value_key": value}
            for path, value in encoded.terms.items()
            if value is not None
        ]
        assert encoded.version is not None
        return _Template(draft, stamp, encoded.version, chain, self.rows.block(made))

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


def _session_row(start: SessionCreation, agent: Agent, first: EncodedWrite) -> Row:
    """Return the row that the SQL function makes of a session's parameters."""
    given = start._session(agent, {}, metadata_bytes({}), None)
    now = start.act.now
    return {
        "project_id": start.act.project_id,
        "agent_id": given["agent"],
        "kind": "session",
        **dict.fromkeys(("user_id", "external_id", "origin_session_id")),
        **dict.fromkeys(("origin_number", "ttl_seconds", "expires_at")),
        "created_at": now,
        "metadata": given["metadata"],
        "metadata_index": given["metadata_index"],
        "status": "active",
        "head_number": 0,
        "updated_at": now,
        "turn_count": 0,
        "rollback_count": 0,
        "facets": first.facets,
    }


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
