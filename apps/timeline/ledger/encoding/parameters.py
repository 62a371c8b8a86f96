"""The parameters of the ledger's SQL functions, made from an encoded write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from apps.agents.acts import Act
from apps.core import json
from apps.timeline.bodies import Stored
from apps.timeline.ledger.drafts import WriteCommand
from apps.timeline.ledger.encoding.calls import TURN, VERSION
from apps.timeline.ledger.encoding.values import EncodedWrite, NewVersion
from apps.timeline.ledger.facts.terms import Terms
from apps.timeline.versions.reading import VersionRow

_NO_VERSION = dict.fromkeys(VERSION)
_NO_TURN = dict.fromkeys(TURN)
_NO_BODY = dict.fromkeys(
    ("base_number", "depth", "codec", "body_salt", "body_size", "data")
)


def of_write(
    command: WriteCommand, head: VersionRow, write: EncodedWrite
) -> dict[str, Any]:
    """Return the parameters of `calls.APPEND`."""
    found = of_command(command, head) | of_version(write) | of_turn(write)
    return found | of_index(write)


def of_batch(
    command: WriteCommand, head: VersionRow, writes: Sequence[EncodedWrite]
) -> dict[str, Any]:
    """Return the parameters of `calls.APPEND_BATCH`: what each version has, in lists.

    The head's terms and facets are those of the last.
    """
    each = [of_version(write) for write in writes]
    changes = [(at, write.changes) for at, write in enumerate(writes, 1)]
    facets = [write.facets for write in writes if write.facets is not None]
    terms: Terms = {}
    for write in writes:
        terms |= write.terms
    return of_command(command, head) | {
        **{f"each_{name}": [one[name] for one in each] for name in VERSION},
        "items": [at for at, rows in changes for _ in rows.path_keys],
        "path_keys": [key for _, rows in changes for key in rows.path_keys],
        "roles": [role for _, rows in changes for role in rows.roles],
        "kinds": [kind for _, rows in changes for kind in rows.kinds],
        "value_keys": [key for _, rows in changes for key in rows.value_keys],
        "term_keys": list(terms),
        "term_values": list(terms.values()),
        "facets": text_of(facets[-1]) if facets else None,
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


def of_command(command: WriteCommand, head: VersionRow) -> dict[str, Any]:
    """Return what the function checks before it stores anything."""
    return of_act(command.act, command.session_id) | {
        "expected": head.number,
        "chain": head.chain,
        "api_key": command.act.api_key_id,
        "refused": sorted(command.policy.refused),
        "suspends": command.policy.suspends,
    }


def of_version(write: EncodedWrite) -> dict[str, Any]:
    """Return the version with its body and its event; all null without one."""
    if write.version is None:
        reasoning = write.turn.draft.step.reasoning if write.turn else None
        return _NO_VERSION | {"reasoning": reasoning}
    found = _of_row(write.version) | _of_body(write.body) | _of_event(write.version)
    found["waits"] = write.waits
    return found


def _of_row(version: NewVersion) -> dict[str, Any]:
    return {
        "reasoning": version.reasoning,
        "op": version.op,
        "hold": version.hold,
        "restored_number": version.restored_number,
        "undo_of": version.undo_of,
        "reason_code": version.reason_code,
        "external_id": version.external_id,
        "trace_id": version.trace_id,
        "step_number": version.step_number,
        "step_parent_id": version.step_parent_id,
        "objective_status": version.objective_status,
        "schema_version": version.schema_version,
        "release": version.release,
        "model": version.model,
        "size": version.size,
        "flags": text_of(version.flags),
        "changes": text_of(version.changes),
        "change_count": version.change_count,
        "changes_truncated": version.changes_truncated,
        "version_key": version.request_key,
        "first_number": version.first_number,
        "salt": version.salt,
        "reasoning_digest": version.reasoning_digest,
        "step_digest": version.step_digest,
        "commitment": version.commitment,
        "leaf": version.leaf,
        "body_number": version.body_number,
    }


def _of_body(body: Stored | None) -> dict[str, Any]:
    if body is None:
        return _NO_BODY
    return {
        "base_number": body.base_number,
        "depth": body.depth,
        "codec": int(body.codec),
        "body_salt": body.salt,
        "body_size": body.size,
        "data": body.data,
    }


def _of_event(version: NewVersion) -> dict[str, Any]:
    event = version.event
    return {
        "event_id": event.id,
        "action": event.action,
        "resource_type": event.resource_type,
        "details": text_of(event.details),
    }


def of_turn(write: EncodedWrite) -> dict[str, Any]:
    """Return the turn and its event; all null without one."""
    turn = write.turn
    if turn is None:
        return _NO_TURN
    draft = turn.draft
    return {
        "turn_id": draft.id,
        "turn_trace_id": turn.trace_id,
        "before_number": draft.before_number,
        "state_after_sent": draft.state_after_sent,
        "input_type": draft.input_type,
        "output_type": draft.output_type,
        "turn_codec": int(draft.body.codec),
        "turn_size": draft.body.size,
        "turn_data": draft.body.data,
        "turn_text": draft.text,
        "turn_salt": draft.body.salt,
        "turn_reasoning_digest": turn.reasoning_digest,
        "turn_commitment": draft.body.commitment,
        "turn_leaf": turn.leaf,
        "turn_event_id": turn.event.id,
        "turn_details": text_of(turn.event.details),
    }


def of_index(write: EncodedWrite) -> dict[str, Any]:
    """Return by what the write lets its session be found."""
    return {
        "path_keys": write.changes.path_keys,
        "roles": write.changes.roles,
        "kinds": write.changes.kinds,
        "value_keys": write.changes.value_keys,
        "term_keys": list(write.terms),
        "term_values": list(write.terms.values()),
        "facets": None if write.facets is None else text_of(write.facets),
    }


def text_of(value: Any) -> str:
    """Return a value as JSON text, for a parameter of type jsonb."""
    return json.dumps(value).decode()
