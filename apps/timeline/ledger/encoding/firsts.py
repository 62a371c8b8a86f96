"""Encode version 0 of a new session, and build it as stored; a fork brings values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from apps.agents.acts import Act
from apps.agents.waiting import Rules
from apps.core.json import State
from apps.diffs import facets
from apps.diffs.compare import compare
from apps.timeline.bodies import Sealer
from apps.timeline.hooks import Judging
from apps.timeline.ledger.drafts import Draft
from apps.timeline.ledger.encoding import progress, rows
from apps.timeline.ledger.encoding.differences import Difference
from apps.timeline.ledger.encoding.values import EncodedWrite, Shown, Stamp
from apps.timeline.ledger.encoding.writes import describe, encode_body, waits
from apps.timeline.ledger.escalating import marked
from apps.timeline.ledger.facts import index
from apps.timeline.ledger.facts.carried import carry
from apps.timeline.ledger.facts.tags import SearchTag
from apps.timeline.ledger.judging.showing import judge_first
from apps.timeline.versions import proof, reading
from apps.timeline.versions.reading import VersionRow
from apps.timeline.words import Op


def encode_first(
    draft: Draft,
    stamp: Stamp,
    *,
    state: State,
    before: State,
    rules: Rules,
    salt: bytes | None = None,
    sealer: Sealer | None = None,
    judging: Judging | None = None,
    has_origin: bool = False,
) -> EncodedWrite:
    """Encode version 0 of a new session; a fork that copies a body keeps its salt.

    `before` is what its changes are compared with: nothing, or the origin's state. By
    the `rules` it waits for a human, or not.
    """
    encoded = EncodedWrite(sealer=sealer)
    parts = draft.parts or ()
    body = encode_body(encoded, parts, number=0, base=None, salt=salt)
    shown = Shown(body.commitment, len(reading.state_part(parts)), 0, [])
    found = Difference(compare(before, state), None, facets.leaves(state))
    draft = marked(draft, state, before, rules)
    if judging is not None:
        was = before if has_origin else None
        judge_first(judging, state, was, found.comparison)
    describe(encoded, draft, stamp, shown, found, progress.of_first(parts, state))
    if draft.op is Op.FORK:
        _index_carried(encoded, state, stamp)
    encoded.waits = waits(state, draft.step.objective_status, rules)
    return encoded


def _index_carried(encoded: EncodedWrite, state: State, stamp: Stamp) -> None:
    """Let a fork be found by the values that it brought along."""
    key = bytes(stamp.act.project.index_key)
    encoded.terms |= index.tagged(key, SearchTag.FORKED)
    if carry(encoded.changes, state, stamp.act.project):
        encoded.terms |= index.tagged(
            bytes(stamp.act.project.index_key), SearchTag.TRUNCATED
        )


def first_version(
    encoded: EncodedWrite, *, act: Act, session_id: str, session: Mapping[str, Any]
) -> VersionRow:
    """Return version 0 as it is read once it is stored, with these session columns."""
    version, body = encoded.version, encoded.body
    if version is None or body is None:
        raise TypeError("A session begins with a version and its body.")
    return VersionRow(
        **dict(zip(rows.SAME, rows.same_values(version), strict=True)),
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
