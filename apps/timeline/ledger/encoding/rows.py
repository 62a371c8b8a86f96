"""An encoded write as rows: what the SQL functions are given, and what is then stored.

The stored versions and the stored turn are built from the write, reading nothing back:
the writer knows all but their time, which the SQL function returns. Reading them again
took two of the six statements of a merge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any

from apps.agents.acts import Act
from apps.core import json
from apps.timeline.ledger.drafts import WriteCommand
from apps.timeline.ledger.encoding.calls import MERGED, TURN, VERSION
from apps.timeline.ledger.encoding.values import EncodedWrite, NewTurn, NewVersion
from apps.timeline.ledger.facts.index import Terms
from apps.timeline.models import Turn
from apps.timeline.versions import proof
from apps.timeline.versions.reading import Rollback, VersionRow

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
_NO_TURN = dict.fromkeys(TURN)
_NO_SOURCE = dict.fromkeys(MERGED)
_NO_BODY = dict.fromkeys(_BODY)
# What is stored as it is read: of the version, and of what the head has in common.
_SAME = (
    *("op", "hold", "restored_number", "undo_of", "reason_code", "external_id"),
    *("reasoning", "trace_id", "step_number", "step_parent_id", "objective_status"),
    *("schema_version", "release", "model", "size", "flags", "request_key"),
    *("changes", "change_count", "changes_truncated", "salt", "commitment", "leaf"),
    *MERGED,
)
_OF_SESSION = ("session_id", "session_created_at", "project_id", "agent_id", "user_id")
_OF_BODY = ("body_number", "body_depth", "body_size", "body_salt", "raw")
_same_values = attrgetter(*_SAME)
_session_values = attrgetter(*_OF_SESSION)
_shown_values = attrgetter(*_OF_BODY)


def of_write(
    command: WriteCommand, head: VersionRow, write: EncodedWrite
) -> dict[str, Any]:
    """Return the parameters of `calls.APPEND`: the checks and what is stored."""
    found = of_act(command.act, command.session_id) | of_version(write)
    found |= _NO_TURN if write.turn is None else of_turn(write.turn)
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
    # The checks are those of one write, and are of the head.
    return of_write(command, head, writes[-1]) | {
        **{f"each_{name}": [one[name] for one in each] for name in VERSION},
        "items": [at for at, rows in changes for _ in rows.path_keys],
        "path_keys": [key for _, rows in changes for key in rows.path_keys],
        "roles": [role for _, rows in changes for role in rows.roles],
        "kinds": [kind for _, rows in changes for kind in rows.kinds],
        "value_keys": [key for _, rows in changes for key in rows.value_keys],
        "term_keys": list(terms),
        "term_values": list(terms.values()),
        "facets": json.dumps(facets[-1]).decode() if facets else None,
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


def of_turn(turn: NewTurn) -> dict[str, Any]:
    """Return the turn and its event."""
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
        "usage": None if draft.usage is None else json.dumps(draft.usage).decode(),
        "turn_event_id": turn.event_id,
        "turn_details": json.dumps(turn.details).decode(),
    }


def following(
    head: VersionRow,
    encoded: EncodedWrite,
    version: NewVersion,
    *,
    act: Act,
    created_at: datetime,
) -> VersionRow:
    """Return the version that follows a head, as it is read once it is stored."""
    number, restored, body = head.number + 1, version.restored_number, encoded.body
    if body is None:
        shown: Sequence[Any] = _shown_values(encoded.shows or head)
    else:
        shown = (number, body.depth, body.size, body.salt, encoded.raw)
    return VersionRow(
        **dict(zip(_OF_SESSION, _session_values(head), strict=True)),
        **dict(zip(_SAME, _same_values(version), strict=True)),
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
    )


def first_version(
    encoded: EncodedWrite, *, act: Act, session_id: str, session: Mapping[str, Any]
) -> VersionRow:
    """Return version 0 as it is read once it is stored, with these session columns."""
    version, body = encoded.version, encoded.body
    if version is None or body is None:
        raise TypeError("A session begins with a version and its body.")
    return VersionRow(
        **dict(zip(_SAME, _same_values(version), strict=True)),
        session_id=session_id,
        number=0,
        parent_number=None,
        body_number=0,
        body_depth=0,
        body_size=body.size,
        body_salt=body.salt,
        actor_kind=act.actor.kind,
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        chain=proof.chain(session["previous_chain"], 0, version.leaf),
        requested_at=act.now,
        created_at=act.now,
        session_created_at=act.now,
        project_id=act.project_id,
        agent_id=session["agent"],
        user_id=session["user_id"],
        raw=encoded.raw,
        rollback=None,
    )


def written_turn(turn: NewTurn, *, act: Act, session_id: str, outcome: Any) -> Turn:
    """Return the turn that was stored with an outcome of the SQL function."""
    draft = turn.draft
    return Turn(
        session_id=session_id,
        turn_number=outcome.turn_number,
        id=draft.id,
        head_number=outcome.number,
        made_version=turn.made_version,
        before_number=draft.before_number,
        state_after_sent=draft.state_after_sent,
        actor_kind=act.actor.kind,
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        reasoning=draft.step.reasoning,
        trace_id=turn.trace_id,
        input_type=draft.input_type,
        output_type=draft.output_type,
        codec=draft.body.codec,
        data=draft.body.data,
        size=draft.body.size,
        request_key=act.request.key,
        request_digest=act.request.digest,
        salt=draft.body.salt,
        reasoning_digest=turn.reasoning_digest,
        commitment=draft.body.commitment,
        leaf=turn.leaf,
        chain=outcome.turn_chain,
        requested_at=act.now,
        created_at=outcome.turn_created_at,
        usage=draft.usage,
        spent=outcome.spent,
    )
