"""Compare two checkpoints of an agent: their configs, and which keys differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from apps.agents.acts import Act
from apps.agents.models import Agent
from apps.audit.streams import Operation
from apps.data.checkpoints.kept import checkpoint_of
from apps.data.documents import configs
from apps.data.documents.configs import ConfigVersion
from apps.data.models import Checkpoint
from apps.data.operations.checkpoints import CHECKPOINT
from apps.data.operations.recording import found, record_unless_off, told
from apps.timeline import queries
from apps.timeline.queries import Difference


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckpointComparison:
    """What differs from one checkpoint to another, whichever of them is the older.

    Of a key, `before` and `after` are the bodies that it shows at each, None: absent.
    """

    agent: Agent
    first: Checkpoint
    second: Checkpoint
    config_before: ConfigVersion
    config_after: ConfigVersion
    keys: Sequence[Difference]
    has_more: bool
    event_id: str | None


def compare_checkpoints(
    *, act: Act, reference: str, ids: tuple[str, str], after: str = "", limit: int
) -> CheckpointComparison:
    """Compare two checkpoints, and say which keys behind `after` differ.

    What has expired by now is in neither of them.

    Raises: AgentNotFound, CheckpointNotFound; VersionPruned where one is deleted, and
    what it had is pruned, before that is read.
    """
    agent, document = found(act, reference)
    first = checkpoint_of(act, document, ids[0])
    second = checkpoint_of(act, document, ids[1], param="other_id")
    with queries.whole_at(document.id, first.number, second.number):
        rows = queries.differences(
            document.id,
            first.number,
            second.number,
            after=after,
            limit=limit + 1,
            moment=act.now,
        )
    about = told(
        Operation.DATA_LIST,
        "",
        resource_type=CHECKPOINT,
        details={"from": first.id, "to": second.id},
    )
    return CheckpointComparison(
        agent=agent,
        first=first,
        second=second,
        config_before=configs.numbered(document, first.config_ordinal),
        config_after=configs.numbered(document, second.config_ordinal),
        keys=rows[:limit],
        has_more=len(rows) > limit,
        event_id=record_unless_off(act, document, about),
    )
