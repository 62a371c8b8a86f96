"""Look at what a restore of a checkpoint would do: config and keys are read for it."""

from __future__ import annotations

from apps.agents.acts import Act
from apps.audit.streams import Operation
from apps.data.operations.checkpoints import CHECKPOINT
from apps.data.operations.recording import record_unless_off, told
from apps.data.operations.restoring import (
    RestorePreview,
    RestoreWanted,
    preview_restore,
)
from apps.timeline.operations import Document


def look_at_restore(
    *, act: Act, reference: str, checkpoint_id: str, wanted: RestoreWanted
) -> RestorePreview:
    """Say what a restore would do; it is recorded that somebody has seen it.

    Raises: what `preview_restore` raises; a long one is shown without its keys.
    """
    found = preview_restore(
        act=act,
        reference=reference,
        checkpoint_id=checkpoint_id,
        wanted=wanted,
        may_be_long=True,
    )
    document = Document.of_agent(act.project, found.agent.id)
    about = told(
        Operation.DATA_LIST,
        found.checkpoint.id,
        resource_type=CHECKPOINT,
        details={"against": found.number},
    )
    record_unless_off(act, document, about)
    return found
