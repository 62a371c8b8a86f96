"""Turns what is to be written into rows: body, digests, changes, facets, events.

Pure computation, done before a connection is held: the SQL function that stores the
result only adds the number, the chain and the time.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any

from apps.agents.acts import Act
from apps.audit.actions import Action
from apps.core import json
from apps.core.admission import gate
from apps.core.json import State
from apps.diffs import facets
from apps.diffs.changes import Comparison
from apps.diffs.compare import compare
from apps.diffs.facets import Leaves
from apps.diffs.flags import flags
from apps.timeline import bodies
from apps.timeline.ledger import differences
from apps.timeline.ledger.drafts import Draft, Step, TurnDraft, Write
from apps.timeline.ledger.events import Stamp, event, version_event
from apps.timeline.ledger.facts import marks, terms, waiting
from apps.timeline.ledger.facts.terms import SearchTag
from apps.timeline.versions import proof, reading
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Op

STEP_FIELDS = (
    "step_number",
    "step_parent_id",
    "objective_status",
    "schema_version",
    "release",
    "model",
)


@dataclass(kw_only=True, slots=True)
class EncodedWrite:
    """The arguments of the SQL functions. Bytes inside the JSON are hex text."""

    version: dict[str, Any] | None = None
    body: dict[str, Any] | None = None
    data: bytes | None = None
    raw: bytes | None = None
    # The version whose body it shows, where that is not its own.
    shows: VersionRow | None = None
    turn: dict[str, Any] | None = None
    turn_data: bytes | None = None
    marks: marks.ChangeRows = field(default_factory=marks.ChangeRows)
    facets: dict[str, Any] | None = None
    events: list[dict[str, Any]] = field(default_factory=list)
    terms: terms.Terms = field(default_factory=dict)
    turn_text: str | None = None
    # Whether the session waits for a human from now on; None: as before.
    waits: bool | None = None
    # The short scalars of the state, if it is a new one.
    leaves: Leaves | None = None

    def parameters(self) -> dict[str, Any]:
        """Return them under the names that the statements use."""
        return {
            "version": _json(self.version),
            "body": _json(self.body),
            "data": self.data,
            "turn": _json(self.turn),
            "turn_data": self.turn_data,
            "path_keys": self.marks.path_keys,
            "roles": self.marks.roles,
            "kinds": self.marks.kinds,
            "value_keys": self.marks.value_keys,
            "facets": _json(self.facets),
            "events": _json(self.events),
            "term_keys": list(self.terms),
            "term_values": list(self.terms.values()),
            "turn_text": self.turn_text,
            "waits": self.waits,
        }


def seal_write(write: Write, *, head: VersionRow, act: Act) -> EncodedWrite:
    """Seal a version or a turn, or both, for the session of `head`."""
    stamp = Stamp(
        act=act,
        session_id=head.session_id,
        number=head.number + (write.draft is not None),
    )
    sealed = EncodedWrite()
    if write.draft:
        _seal_version(sealed, write.draft, stamp, head)
    if write.turn:
        _seal_turn(sealed, write.turn, stamp)
    return sealed


def seal_first(
    draft: Draft,
    stamp: Stamp,
    *,
    state: State,
    before: State,
    salt: bytes | None = None,
) -> EncodedWrite:
    """Seal version 0 of a new session; a fork that copies a body keeps its salt.

    `before` is what its changes are told against: nothing, or the origin's state.
    """
    sealed = EncodedWrite()
    parts = draft.parts or ()
    raw = bodies.frame(parts)
    gate.enter(len(raw))
    stored = bodies.encode(raw, number=0, base=None, salt=salt or new_salt())
    _store(sealed, stored, raw)
    comparison = compare(before, state)
    size = len(reading.state_part(parts))
    version = _version(draft, stamp, stored.commitment, size)
    version |= {"flags": [], "body_number": 0}
    _mark(sealed, version, comparison, stamp, draft)
    _find_by_head(sealed, None, facets.leaves(state), stamp)
    if draft.op is Op.FORK:
        _carry(sealed, state, stamp)
    sealed.events = [version_event(draft, stamp, version)]
    sealed.version = version
    sealed.waits = waiting.waits(state, draft.step.objective_status)
    return sealed


def new_salt() -> bytes:
    return secrets.token_bytes(32)


def _seal_version(
    sealed: EncodedWrite, draft: Draft, stamp: Stamp, head: VersionRow
) -> None:
    shows = draft.body_from or head
    sealed.shows = shows
    commitment, size = shows.commitment, shows.size
    body_number: int | None = shows.body_number
    if draft.parts is not None:
        raw = bodies.frame(draft.parts)
        gate.enter(len(raw))
        stored = bodies.encode(
            raw,
            number=head.number + 1,
            base=reading.base_of(head),
            salt=new_salt(),
        )
        _store(sealed, stored, raw)
        commitment, body_number = stored.commitment, None
        size = len(reading.state_part(draft.parts))
    difference = differences.made_by(draft, head)
    comparison = difference.comparison
    version = _version(draft, stamp, commitment, size)
    version["body_number"] = body_number
    version["flags"] = list(flags(comparison, head.size, size))
    _mark(sealed, version, comparison, stamp, draft)
    _find_by_head(sealed, difference.before, difference.after, stamp)
    sealed.events.append(version_event(draft, stamp, version))
    sealed.version = version
    sealed.waits = waiting.change(draft, head, difference)
    sealed.leaves = None if draft.state is None else difference.after


def _mark(
    sealed: EncodedWrite,
    version: dict[str, Any],
    comparison: Comparison,
    stamp: Stamp,
    draft: Draft,
) -> None:
    sealed.marks, truncated = marks.marks(comparison, stamp.act.project)
    version |= marks.shown(comparison) | {"changes_truncated": truncated}
    sealed.terms |= terms.of_version(_key(stamp), version, draft.step.trace_id)


def _find_by_head(
    sealed: EncodedWrite, before: Leaves | None, after: Leaves, stamp: Stamp
) -> None:
    """Let the session be found by what its head holds now."""
    changed = terms.held(_key(stamp), before, after)
    if changed or before is None:
        sealed.facets = facets.cleaned(after)
    sealed.terms |= changed


def _carry(sealed: EncodedWrite, state: State, stamp: Stamp) -> None:
    """Let a fork be found by the values that it brought along."""
    sealed.terms |= terms.tagged(_key(stamp), SearchTag.FORKED)
    if marks.carry(sealed.marks, state, stamp.act.project):
        sealed.terms |= terms.tagged(_key(stamp), SearchTag.TRUNCATED)


def _key(stamp: Stamp) -> bytes:
    return bytes(stamp.act.project.index_key)


def _seal_turn(sealed: EncodedWrite, turn: TurnDraft, stamp: Stamp) -> None:
    event_id = stamp.event_id(of_turn=True)
    sealed.turn = {
        "id": turn.id,
        "made_version": sealed.version is not None,
        "before_number": turn.before_number,
        "state_after_sent": turn.state_after_sent,
        **stamp.actor_fields,
        "reasoning": turn.step.reasoning,
        "trace_id": turn.step.trace_id or event_id,
        "input_type": turn.input_type,
        "output_type": turn.output_type,
        "codec": turn.codec,
        "size": turn.size,
        "request_key": stamp.act.request.key,
        "request_digest": _hex(stamp.act.request.digest),
    }
    sealed.turn_data = turn.data
    sealed.turn_text = turn.text
    sealed.terms |= terms.traced(_key(stamp), turn.step.trace_id)
    details = {"input_type": turn.input_type, "output_type": turn.output_type}
    details |= turn.facts
    sealed.events.append(
        event(
            Action.TURN_ADDED, stamp, "turn", turn.id, json.cleaned(details), event_id
        )
    )


def _version(
    draft: Draft, stamp: Stamp, commitment: bytes, size: int
) -> dict[str, Any]:
    salt = new_salt()
    event_id = stamp.event_id()
    claim = _claim(draft, stamp, commitment, salt, draft.step.trace_id or event_id)
    step = draft.step
    return {
        "op": draft.op,
        "hold": draft.hold,
        "restored_number": draft.restored_number,
        "undo_of": draft.undo_of,
        "reason_code": draft.reason_code,
        "external_id": step.external_id,
        **stamp.actor_fields,
        "reasoning": step.reasoning,
        "trace_id": claim.trace_id,
        **{name: getattr(step, name) for name in STEP_FIELDS},
        "size": size,
        "request_key": stamp.act.request.key,
        "request_digest": _hex(stamp.act.request.digest),
        "salt": _hex(salt),
        "reasoning_digest": _hex(claim.reasoning_digest),
        "step_digest": _hex(claim.step_digest),
        "commitment": _hex(commitment),
        "leaf": _hex(claim.leaf()),
        "requested_at": stamp.act.now.isoformat(),
        "event_id": event_id,
    }


def _claim(
    draft: Draft, stamp: Stamp, commitment: bytes, salt: bytes, trace_id: str
) -> proof.Claim:
    return proof.Claim(
        project_id=stamp.act.project_id,
        session_id=stamp.session_id,
        op=draft.op,
        hold=draft.hold,
        restored_number=draft.restored_number,
        undo_of=draft.undo_of,
        external_id=draft.step.external_id,
        actor_kind=stamp.act.actor.kind,
        actor_id=stamp.act.actor.id,
        trace_id=trace_id,
        request_key=stamp.act.request.key,
        requested_at=stamp.act.now,
        reasoning_digest=proof.salted(salt, draft.step.reasoning),
        step_digest=step_digest(salt, draft.step, draft.reason_code),
        commitment=commitment,
    )


def step_digest(salt: bytes, step: Step | VersionRow, reason_code: str | None) -> bytes:
    """Return the digest of the step metadata, of a draft or of a stored version."""
    texts = [getattr(step, name) for name in STEP_FIELDS]
    return proof.salted(salt, *texts, reason_code)


def _store(sealed: EncodedWrite, stored: bodies.Stored, raw: bytes) -> None:
    sealed.raw = raw
    sealed.data = stored.data
    sealed.body = {
        "base_number": stored.base_number,
        "depth": stored.depth,
        "codec": stored.codec,
        "salt": _hex(stored.salt),
        "size": stored.size,
    }


def _hex(value: bytes) -> str:
    return "\\x" + value.hex()


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value).decode()
