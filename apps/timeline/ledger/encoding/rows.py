"""A draft as the version it becomes, and that as rows: given to SQL, and then stored.

What a write does not say of its state is carried forward: a later version is of the
schema of the one before it, a rollback of that which it shows. So what a head is of is
always told by its own row. An objective is carried in the same way, unless it asks for
a person: that is answered by whatever is written next.

The stored versions and the stored turn are built from the write, reading nothing back:
the writer knows all but their time, which the SQL function returns. Reading them again
took two of the six statements of a merge.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from operator import attrgetter
from typing import Any

from apps.agents.acts import Act
from apps.core import json
from apps.core.ids import new_id
from apps.schemas.written import require_written
from apps.timeline.ledger.drafts import Draft, Source, WriteCommand
from apps.timeline.ledger.encoding import turns
from apps.timeline.ledger.encoding.calls import MERGED, VERSION
from apps.timeline.ledger.encoding.values import EncodedWrite, NewVersion, Shown, Stamp
from apps.timeline.ledger.events import ACTIONS_OF
from apps.timeline.versions import proof
from apps.timeline.versions.proof import SALT_BYTES, STEP_FIELDS
from apps.timeline.versions.reading import Rollback, VersionRow
from apps.timeline.words import WAITING_FOR, Op

# What the event of an operation is about, where that is not its version alone.
RESOURCES = dict.fromkeys((Op.CREATE, Op.FORK), "session") | dict.fromkeys(
    (Op.WAIT, Op.DECIDE), "approval"
)
# What agents write of their own; the others show, or follow, what was written.
WRITES = frozenset({Op.CREATE, Op.UPDATE, Op.REPLACE, Op.TURN, Op.FORK})
# A body's columns, as a version's parameters name them.
_BODY = {
    "base_number": "base_number",
    "depth": "depth",
    "codec": "codec",
    "body_salt": "salt",
    "body_size": "size",
    "data": "data",
}
_OWN = {
    name: "request_key" if name == "version_key" else name
    for name in VERSION
    if name not in _BODY and name != "waits"
}
_own_values = attrgetter(*_OWN.values())
_merged_values = attrgetter(*MERGED)
_body_values = attrgetter(*_BODY.values())
_JSON = tuple(name for name, kind in VERSION.items() if kind == "jsonb")
_NO_VERSION = dict.fromkeys(VERSION)
_NO_SOURCE = dict.fromkeys(MERGED)
_NO_BODY = dict.fromkeys(_BODY)
# What is stored as it is read: of the version, and of what the head has in common.
SAME = (
    *("op", "hold", "restored_number", "undo_of", "reason_code", "external_id"),
    *("reasoning", "trace_id", "step_number", "step_parent_id", "objective_status"),
    *("schema_version", "release", "model", "size", "flags", "request_key"),
    *("changes", "change_count", "changes_truncated", "salt", "commitment", "leaf"),
    *MERGED,
)
_OF_SESSION = ("session_id", "session_created_at", "project_id", "agent_id", "user_id")
_OF_BODY = ("body_number", "body_depth", "body_size", "body_salt", "raw")
same_values = attrgetter(*SAME)
_session_values = attrgetter(*_OF_SESSION)
_shown_values = attrgetter(*_OF_BODY)


def shaped(draft: Draft, before: VersionRow | None, agent_id: str) -> Draft:
    """Return the draft with the schema and the objective that its state is of.

    Raises: SchemaUnknown, SchemaBehind.
    """
    shows = before
    if draft.op == Op.ROLLBACK:
        shows = draft.body_from
    written = draft.step.schema_version
    if written is None and shows is not None:
        written = shows.schema_version
    if draft.op in WRITES:
        is_later = before is not None and draft.op != Op.FORK
        head = before.schema_version if is_later and before else None
        require_written(agent_id, written=written, head=head)
    step, objective = draft.step, draft.step.objective_status
    if objective is None and shows is not None:
        known = shows.objective_status
        asks = known is not None and known.startswith(WAITING_FOR)
        objective = None if asks else known
    if (written, objective) == (step.schema_version, step.objective_status):
        return draft
    step = replace(step, schema_version=written, objective_status=objective)
    return replace(draft, step=step)


def new_version(
    draft: Draft, stamp: Stamp, shown: Shown, changes: dict[str, Any]
) -> NewVersion:
    """Return the version that the draft becomes, with its digests and its leaf."""
    step, salt = draft.step, secrets.token_bytes(SALT_BYTES)
    own_id = event_id(stamp)
    claim = claim_of(draft, stamp, shown.commitment, salt, step.trace_id or own_id)
    return NewVersion(
        op=draft.op,
        hold=draft.hold,
        restored_number=draft.restored_number,
        undo_of=draft.undo_of,
        reason_code=draft.reason_code,
        external_id=step.external_id,
        reasoning=step.reasoning,
        trace_id=claim.trace_id,
        **{name: getattr(step, name) for name in STEP_FIELDS},
        **changes,
        size=shown.size,
        flags=shown.flags,
        body_number=shown.number,
        request_key=stamp.act.request.key,
        salt=salt,
        reasoning_digest=claim.reasoning_digest,
        step_digest=claim.step_digest,
        commitment=shown.commitment,
        leaf=claim.leaf(),
        event_id=own_id,
        action=ACTIONS_OF[stamp.act.scope.kind][Op(draft.op)],
        resource_type=RESOURCES.get(Op(draft.op), "version"),
        details=draft.details,
        **(_source_of(draft.source, salt) if draft.source else {}),
    )


def claim_of(
    draft: Draft, stamp: Stamp, commitment: bytes, salt: bytes, trace_id: str
) -> proof.Claim:
    """Return what the leaf of a new version covers."""
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
        step_digest=proof.salted(
            salt, *proof.step_values(draft.step), draft.reason_code
        ),
        commitment=commitment,
        **(_source_of(draft.source, salt) if draft.source else {}),
    )


def _source_of(source: Source, salt: bytes) -> dict[str, Any]:
    """Return the columns of a second parent."""
    return {
        "source_session_id": source.session_id,
        "source_number": source.number,
        "source_digest": None
        if source.choices is None
        else proof.salted(salt, source.choices),
        "source_opaque": source.opaque,
    }


def event_id(stamp: Stamp, *, of_turn: bool = False) -> str:
    """Return an id by which events of one moment sort as they happened.

    By version; what made a version before the turn that came with it.
    """
    sequence = 2 * stamp.number + (2 if of_turn else 1)
    return new_id("trace", now=stamp.act.now, sequence=sequence)


def of_write(
    command: WriteCommand, head: VersionRow, write: EncodedWrite
) -> dict[str, Any]:
    """Return the parameters of `calls.APPEND`: the checks and what is stored."""
    found = of_act(command.act, command.session_id) | of_version(write)
    found |= turns.NONE if write.turn is None else turns.of_turn(write.turn)
    version = write.version
    if version is None or version.source_session_id is None:
        found |= _NO_SOURCE
    else:
        found |= zip(MERGED, _merged_values(version), strict=True)
    return found | {
        "watches": command.watches,
        "expected": head.number,
        "chain": head.chain,
        "api_key": command.act.api_key_id,
        "refused": sorted(command.policy.refused),
        "suspends": command.policy.suspends,
        "kind": command.act.scope.kind,
        "fence": command.expected.fence,
    }


def of_act(act: Act, session_id: str) -> dict[str, Any]:
    """Return who acts where, when and under which request."""
    return {
        "session": session_id,
        "project": act.project_id,
        "now": act.now,
        "key": act.request.key,
        "digest": act.request.digest,
        "request_id": act.request.id,
        "actor_kind": act.actor.kind,
        "actor_id": act.actor.id,
        "actor_label": act.actor.label,
    }


def of_version(write: EncodedWrite) -> dict[str, Any]:
    """Return the version with its body, its event, and by what it is found.

    All but the last is null where the write has no version.
    """
    changes, version, body = write.changes, write.version, write.body
    found: dict[str, Any] = {
        "path_keys": changes.path_keys,
        "roles": changes.roles,
        "kinds": changes.kinds,
        "value_keys": changes.value_keys,
        "term_keys": list(write.terms),
        "term_values": list(write.terms.values()),
        "facets": None if write.facets is None else json.dumps(write.facets).decode(),
    }
    if version is None:
        reasoning = write.turn.draft.step.reasoning if write.turn else None
        if write.sealer is not None:
            reasoning = write.sealer.text(reasoning)
        return found | _NO_VERSION | {"reasoning": reasoning}
    found |= zip(_OWN, _own_values(version), strict=True)
    if write.sealer is not None:
        found["reasoning"] = write.sealer.text(version.reasoning)
        found["changes"] = write.sealer.changes(version.changes)
    for name in _JSON:
        found[name] = json.dumps(found[name]).decode()
    found["waits"] = write.waits
    if body is None:
        return found | _NO_BODY
    found |= zip(_BODY, _body_values(body), strict=True)
    found["codec"] = int(body.codec)
    return found


def following(
    head: VersionRow,
    encoded: EncodedWrite,
    version: NewVersion,
    *,
    act: Act,
    created_at: datetime,
    **known: Any,
) -> VersionRow:
    """Return the version that follows a head, as it is read once it is stored.

    `known`: what of its state was parsed and looked through, for who builds on it.
    """
    number, restored, body = head.number + 1, version.restored_number, encoded.body
    if body is None:
        shown: Sequence[Any] = _shown_values(encoded.shows or head)
    else:
        shown = (number, body.depth, body.size, body.salt, encoded.raw)
    return VersionRow(
        **dict(zip(_OF_SESSION, _session_values(head), strict=True)),
        **dict(zip(SAME, same_values(version), strict=True)),
        **dict(zip(_OF_BODY, shown, strict=True)),
        number=number,
        parent_number=head.number,
        actor_kind=act.actor.kind,
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        chain=proof.chain(head.chain, number, version.leaf),
        requested_at=act.now,
        created_at=created_at,
        rollback=head.rollback
        if restored is None
        else Rollback(number, restored, created_at),
        **known,
    )
