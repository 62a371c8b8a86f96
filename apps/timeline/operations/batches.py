"""Writing many versions at once: all of them are stored, or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from apps.agents.acts import Act
from apps.core import json
from apps.core.errors import UnacceptableJson
from apps.core.json import Operation, State
from apps.timeline import hooks, ledger
from apps.timeline.bodies import Part
from apps.timeline.ledger import gated, naming, policies
from apps.timeline.ledger.drafts import ANY_HEAD, Expected, Receipt, Write
from apps.timeline.ledger.encoding import batches
from apps.timeline.operations.states import draft_of
from apps.timeline.versions import reading
from apps.timeline.versions.reading import Step, VersionRow
from apps.timeline.words import Op


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchItem:
    """One version of a batch, as one update would make it, or one replace."""

    op: Op
    state: State
    remove: Sequence[str] = ()
    operations: Sequence[Operation] = ()
    parts: tuple[Part, ...] = ()
    step: Step


def append_batch(
    *,
    act: Act,
    session_id: str,
    items: Sequence[BatchItem],
    expected: Expected = ANY_HEAD,
) -> Receipt:
    """Append 1 to 100 versions, each built on the one before; nothing comes between.

    Without an expected head a batch that loses the race is built anew on the newer
    head. The receipt tells the first number and the last.

    Raises: InvalidRequest; UnacceptableJson, PayloadTooLarge and ExternalIdTaken, each
    naming the item; and what `ledger.append` or a gate raises.
    """
    batches.require_count(len(items))
    append = gated.append if hooks.APPEND else ledger.append
    if any(item.parts for item in items):
        append = naming.appending(append, *(item.parts for item in items))
    return append(
        act=act,
        session_id=session_id,
        build=tuple(_Build(item) for item in items),
        expected=expected,
        policy=policies.WRITE[act.actor.kind],
    )


@dataclass(frozen=True, slots=True)
class _Build:
    """Builds the item on the head, or on the item before it."""

    item: BatchItem

    def __call__(self, head: VersionRow) -> Write:
        item = self.item
        state = item.state if item.op is Op.REPLACE else _merged(item, head)
        return Write(
            draft=draft_of(item.op, head, state=state, given=item.parts, step=item.step)
        )


def _merged(item: BatchItem, head: VersionRow) -> State:
    if item.operations:
        return json.patched(reading.parsed(head), item.operations)
    try:
        return json.merged(reading.parsed(head), item.state, item.remove)
    except UnacceptableJson as error:
        # It is a pointer into the state, which one into the request must not look like.
        message = f"{error.message.rstrip('.')}: {error.param}"
        raise UnacceptableJson(message, param="remove") from error
