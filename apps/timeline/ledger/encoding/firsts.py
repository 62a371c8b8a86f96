"""Encode version 0 of a new session; a fork brings values along."""

from __future__ import annotations

from apps.agents.waiting import Rules
from apps.core.json import State
from apps.diffs import facets
from apps.diffs.compare import compare
from apps.timeline.bodies import Sealer
from apps.timeline.hooks import Judging
from apps.timeline.ledger.drafts import Draft
from apps.timeline.ledger.encoding import progress
from apps.timeline.ledger.encoding.differences import Difference
from apps.timeline.ledger.encoding.shaped import waits
from apps.timeline.ledger.encoding.values import EncodedWrite, Stamp
from apps.timeline.ledger.encoding.writes import Shown, describe, encode_body
from apps.timeline.ledger.escalating import marked
from apps.timeline.ledger.facts import index
from apps.timeline.ledger.facts.carried import carry
from apps.timeline.ledger.facts.tags import SearchTag
from apps.timeline.ledger.judging.showing import judge_first
from apps.timeline.versions import reading
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
