"""The steps of beginning a session, each idempotent on its own.

There is no session yet that could hold the idempotency key, so `RequestKey` is written
first and fixes the id: a retry after a lost answer meets its own session. A name that
the caller chose is written next, then the session with its version 0, by one function.
No step needs a transaction with another, so none spans two shards.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import transaction

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.agents.remembered import remember
from apps.agents.waiting import rules as rules_of
from apps.core import json, sql
from apps.core.admission import gate
from apps.core.errors import DomainError
from apps.core.ids import new_id
from apps.core.json import Json, State
from apps.core.provenance import Request
from apps.timeline import hooks
from apps.timeline.bodies import bundles
from apps.timeline.errors import ExternalIdTaken, SessionNotFound
from apps.timeline.hooks import Judging
from apps.timeline.ledger import events
from apps.timeline.ledger.beginning.claims import Claims
from apps.timeline.ledger.drafts import Draft, Edit, Receipt
from apps.timeline.ledger.encoding import calls, firsts, rows
from apps.timeline.ledger.encoding.rows import shaped
from apps.timeline.ledger.encoding.values import Stamp
from apps.timeline.ledger.encoding.writes import sealer
from apps.timeline.ledger.facts.about import About, metadata_bytes
from apps.timeline.models import Session
from apps.timeline.versions import fetching, heads, reading
from apps.timeline.versions.proof import NO_CHAIN
from apps.timeline.versions.reading import Step
from apps.timeline.words import Hold, Op


@dataclass(frozen=True, slots=True)
class SessionCreation:
    """The steps of beginning a session, each idempotent."""

    act: Act
    about: About

    @property
    def request(self) -> Request:
        return self.act.request

    @property
    def claims(self) -> Claims:
        return Claims(self.act, self.about)

    def replayed(self) -> Receipt | None:
        """Find the session that this key made before; look before all other checks."""
        known = self.claims.by_key()
        if known is None:
            return None
        # Another request may have made the session of a creator that died after it
        # wrote the name: then it does not carry this key.
        stored = sql.rows(
            sql.of_session("""
            SELECT 1 FROM timeline_version
             WHERE session_id = %s AND number = 0 AND request_key = %s
            """),
            [known.session_id, self.request.key],
        )
        if not stored:
            return None
        return Receipt(session_id=known.session_id, number=0, is_replay=True)

    def store(
        self,
        find_agent: Callable[[], Agent],
        draft: Draft,
        *,
        state: State,
        before: State,
        metadata: dict[str, Json],
        origin: reading.VersionRow | None = None,
        salt: bytes | None = None,
    ) -> Receipt:
        metadata_written = metadata_bytes(metadata)
        # It may be registered by this: only for a session that can be stored.
        agent = find_agent()
        known = remember(
            agent.id, rules_of(agent.waiting), agent.has_schemas, agent.has_guards
        )
        judging = hooks.judging(self.act, agent.id, None) if known.has_guards else None
        draft = shaped(draft, origin, agent.id)
        session_id = self._claimed(metadata_written)
        session = self._session(agent, metadata, metadata_written, origin)
        with self._key_locked(session["user_id"]):
            first = firsts.encode_first(
                draft,
                Stamp(act=self.act, session_id=session_id, number=0),
                state=state,
                before=before,
                rules=known.rules,
                salt=salt,
                sealer=sealer(
                    self.act.project,
                    session_id,
                    session["user_id"],
                    is_beginning=True,
                ),
                judging=judging,
                has_origin=origin is not None,
            )
            outcome = self._created(
                rows.of_act(self.act, session_id)
                | rows.of_version(first)
                | session
                | {"kind": self.act.scope.kind},
                judging,
            )
        if outcome == "stored":
            head = firsts.first_version(
                first, act=self.act, session_id=session_id, session=session
            )
            is_clear = self.act.project.data_key is None
            transaction.on_commit(
                partial(heads.REMEMBERED.put, head, is_shared=is_clear)
            )
        if outcome == "gone" and origin is not None:
            raise self._gone(origin)
        return self._receipt_for_outcome(session_id, outcome)

    def _key_locked(self, user_id: str | None) -> AbstractContextManager[object]:
        """Keep the person's key from being destroyed until the session is there."""
        is_sealed = user_id is not None and self.act.project.data_key is not None
        return transaction.atomic() if is_sealed else nullcontext()

    def _created(self, parameters: dict[str, Any], judging: Judging | None) -> str:
        """Call the function; what a person does is chained in the same transaction.

        So is what guards found of it stored.
        """
        has_found = judging is not None and judging.has_found
        if self.act.actor.is_agent and not has_found:
            return str(sql.run_prepared(calls.CREATE_SESSION, parameters)[0].outcome)
        with transaction.atomic():
            outcome = str(sql.run_prepared(calls.CREATE_SESSION, parameters)[0].outcome)
            if outcome == "stored" and not self.act.actor.is_agent:
                events.chain(parameters["session"], [0])
            if outcome == "stored" and judging is not None and has_found:
                judging.stored(
                    Receipt(session_id=parameters["session"], number=0, is_replay=False)
                )
        return outcome

    def store_fork(
        self,
        find_agent: Callable[[], Agent],
        origin: reading.VersionRow,
        *,
        edit: Edit,
        step: Step,
    ) -> Receipt:
        before = reading.parsed(origin)
        shown = before if edit.state is None else edit.state
        state = json.merged(shown, edit.patch or {})
        carried = reading.parts(origin)
        parts = bundles.assembled(state, carried=carried, given=edit.parts)
        metadata = {
            **(self.about.metadata or {}),
            "forked_from": origin.session_id,
            "forked_version": origin.number,
        }
        draft = Draft(
            op=Op.FORK,
            hold=Hold.OPEN,
            step=step,
            parts=parts,
            details={
                "source_session_id": origin.session_id,
                "fork_version": origin.number,
            },
        )
        return self.store(
            find_agent,
            draft,
            state=state,
            before=before,
            metadata=metadata,
            origin=origin,
            salt=origin.body_salt if parts == carried else None,
        )

    def _session(
        self,
        agent: Agent,
        metadata: dict[str, Json],
        metadata_written: bytes,
        origin: reading.VersionRow | None,
    ) -> dict[str, Any]:
        about = self.about
        return {
            "agent": agent.id,
            "user_id": about.user_id or (origin.user_id if origin else None),
            "session_name": about.external_id,
            "title": about.title,
            "origin_session": origin.session_id if origin else None,
            "origin_number": origin.number if origin else None,
            "ttl_seconds": about.ttl_seconds,
            "expires_at": self.claims.expires_at,
            "metadata": metadata_written,
            "metadata_index": json.dumps(json.cleaned(metadata)).decode(),
            "previous_chain": origin.chain if origin else NO_CHAIN,
        }

    def _receipt_for_outcome(self, session_id: str, outcome: str) -> Receipt:
        if outcome == "stored":
            gate.exempt()
            return Receipt(session_id=session_id, number=0, is_replay=False)
        # It exists: made by this very request before, or under this name by another.
        made = sql.rows(
            sql.of_session("""
            SELECT request_key, request_digest FROM timeline_version
             WHERE session_id = %s AND number = 0
            """),
            [session_id],
        )[0]
        mine = (self.request.key, self.request.digest)
        if self.request.key and (made.request_key, bytes(made.request_digest)) == mine:
            return Receipt(session_id=session_id, number=0, is_replay=True)
        raise self._taken(session_id)

    def _claimed(self, metadata: bytes) -> str:
        """Return the session's id, as its key and its name decide it."""
        drawn = new_id("sess", now=self.act.now)
        return self.claims.named(self.claims.keyed(drawn, metadata))

    def _gone(self, origin: reading.VersionRow) -> DomainError:
        """Say what became of a version that a removal took while it was forked."""
        act = self.act
        try:
            found = fetching.version(
                act.scope, origin.session_id, origin.number, now=act.now
            )
            reading.require_contents(found)
        except DomainError as error:
            return error
        return SessionNotFound()

    def _taken(self, session_id: str) -> ExternalIdTaken:
        """Name the session that has the name, unless it is another agent's affair."""
        sessions = Session.objects.of_project(self.act.project_id)
        seen = sessions.of_agents(self.act.scope.agents).filter(id=session_id)
        named = {"session_id": session_id} if seen.exists() else {}
        return ExternalIdTaken(param="external_id", **named)
